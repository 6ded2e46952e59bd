/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * A plot of the page as it will look: where each of its shapes is, in the units of its view box. It
 * knows the part of SVG that the chart library writes, and refuses the rest. Letters are shapes
 * too: a line of text is one path in the colour of the ink.
 */
final class SvgPlot {
  private static final String INK = "rgb(43,43,43)";
  private static final Pattern NUMBER = Pattern.compile("-?[0-9.]+(E-?[0-9]+)?");
  private static final Pattern TRANSLATE = Pattern.compile("translate\\((\\S+) (\\S+)\\)");
  private static final Pattern COLOR = Pattern.compile("(?:fill|stroke):(rgb\\([^)]*\\))");

  /** One shape; {@code bounds} is what is visible of it. */
  record Drawn(Rectangle2D bounds, String color, boolean inPlotArea) {
    boolean isText() {
      return INK.equals(color);
    }
  }

  final String title;
  final String words;
  final Rectangle2D viewBox;
  final List<Drawn> shapes = new ArrayList<>();

  /** Where data is drawn: what the data is clipped to. */
  Rectangle2D plotArea = new Rectangle2D.Double();

  private final Map<String, Rectangle2D> clips = new HashMap<>();

  SvgPlot(Element svg) {
    title = text(svg, "title");
    words = text(svg, "desc");
    viewBox = rectangle(numbers(svg.getAttribute("viewBox")));
    NodeList defined = svg.getElementsByTagName("clipPath");
    for (int i = 0; i < defined.getLength(); i++) {
      Element clip = (Element) defined.item(i);
      Element rect = (Element) clip.getElementsByTagName("rect").item(0);
      clips.put("url(#" + clip.getAttribute("id") + ")", rect(rect));
    }
    read(svg, 0, 0, null);
  }

  private static String text(Element svg, String name) {
    return svg.getElementsByTagName(name).item(0).getTextContent();
  }

  private void read(Element group, double x, double y, Rectangle2D clip) {
    for (Node child = group.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element element) {
        switch (element.getTagName()) {
          case "title", "desc", "defs" -> {}
          case "g" -> readGroup(element, x, y, clip);
          default -> add(element, x, y, clip);
        }
      }
    }
  }

  private void readGroup(Element group, double x, double y, Rectangle2D clip) {
    double left = x;
    double top = y;
    String transform = group.getAttribute("transform");
    if (!transform.isEmpty()) {
      Matcher by = TRANSLATE.matcher(transform);
      if (!by.matches()) {
        throw new IllegalArgumentException("transform " + transform + " of " + title);
      }
      left += Double.parseDouble(by.group(1));
      top += Double.parseDouble(by.group(2));
    }
    Rectangle2D inner = clip;
    if (group.hasAttribute("clip-path")) {
      inner = moved(clips.get(group.getAttribute("clip-path")), left, top);
      plotArea = inner;
    }
    read(group, left, top, inner);
  }

  private void add(Element shape, double x, double y, Rectangle2D clip) {
    Rectangle2D bounds = moved(bounds(shape), x, y);
    if (clip != null) {
      bounds = bounds.createIntersection(clip);
      if (bounds.getWidth() < 0 || bounds.getHeight() < 0) {
        return;
      }
    }
    Matcher color = COLOR.matcher(shape.getAttribute("style"));
    shapes.add(new Drawn(bounds, color.find() ? color.group(1) : "none", clip != null));
  }

  private static Rectangle2D moved(Rectangle2D r, double x, double y) {
    return new Rectangle2D.Double(r.getX() + x, r.getY() + y, r.getWidth(), r.getHeight());
  }

  private static Rectangle2D bounds(Element shape) {
    return switch (shape.getTagName()) {
      case "rect" -> rect(shape);
      case "line" -> around(numbers(shape, "x1", "x2"), numbers(shape, "y1", "y2"));
      case "ellipse" -> {
        double[] at = numbers(shape, "cx", "cy", "rx", "ry");
        yield new Rectangle2D.Double(at[0] - at[2], at[1] - at[3], 2 * at[2], 2 * at[3]);
      }
      case "path" -> {
        double[] points = numbers(shape.getAttribute("d"));
        yield around(everySecond(points, 0), everySecond(points, 1));
      }
      default -> throw new IllegalArgumentException("a shape " + shape.getTagName());
    };
  }

  private static double[] everySecond(double[] values, int first) {
    double[] picked = new double[values.length / 2];
    Arrays.setAll(picked, i -> values[2 * i + first]);
    return picked;
  }

  private static Rectangle2D around(double[] x, double[] y) {
    double left = DoubleStream.of(x).min().orElseThrow();
    double top = DoubleStream.of(y).min().orElseThrow();
    return new Rectangle2D.Double(
        left,
        top,
        DoubleStream.of(x).max().orElseThrow() - left,
        DoubleStream.of(y).max().orElseThrow() - top);
  }

  private static Rectangle2D rect(Element rect) {
    return rectangle(numbers(rect, "x", "y", "width", "height"));
  }

  private static Rectangle2D rectangle(double[] xywh) {
    return new Rectangle2D.Double(xywh[0], xywh[1], xywh[2], xywh[3]);
  }

  private static double[] numbers(Element element, String... attributes) {
    return Arrays.stream(attributes)
        .mapToDouble(name -> Double.parseDouble(element.getAttribute(name)))
        .toArray();
  }

  private static double[] numbers(String text) {
    return NUMBER.matcher(text).results().mapToDouble(m -> Double.parseDouble(m.group())).toArray();
  }

  @Override
  public String toString() {
    return title;
  }

  List<Drawn> texts() {
    return shapes.stream().filter(Drawn::isText).toList();
  }

  /** The text that says just this, whole, in a size; upright or, as along an axis, turned. */
  List<Drawn> texts(String saying, int style, int size) {
    Rectangle2D outline =
        new TextLayout(
                saying,
                new Font(Font.SANS_SERIF, style, size),
                new FontRenderContext(null, true, true))
            .getOutline(null)
            .getBounds2D();
    return texts().stream()
        .filter(
            text ->
                isSize(text, outline.getWidth(), outline.getHeight())
                    || isSize(text, outline.getHeight(), outline.getWidth()))
        .toList();
  }

  private static boolean isSize(Drawn text, double width, double height) {
    return Math.abs(text.bounds.getWidth() - width) < 1
        && Math.abs(text.bounds.getHeight() - height) < 1;
  }
}
