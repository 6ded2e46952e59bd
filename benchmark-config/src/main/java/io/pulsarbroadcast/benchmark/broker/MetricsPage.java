/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.broker;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One answer of a broker's Prometheus page. Immutable; any thread may call it. */
public final class MetricsPage {
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  /** One line. Immutable. */
  public static final class Sample {
    private final String name;
    private final String labels;
    private final double value;

    /** Made by the first who asks: most samples of a large page are of no interest. */
    private Map<String, String> parsed;

    private Sample(String name, String labels, double value) {
      this.name = name;
      this.labels = labels;
      this.value = value;
    }

    public String name() {
      return name;
    }

    public double value() {
      return value;
    }

    /** Value by name. */
    public Map<String, String> labels() {
      if (parsed == null) {
        parsed =
            LABEL
                .matcher(labels)
                .results()
                .collect(
                    Collectors.toUnmodifiableMap(found -> found.group(1), found -> found.group(2)));
      }
      return parsed;
    }

    private boolean is(String wantedName, String... labelTexts) {
      if (!name.equals(wantedName)) {
        return false;
      }
      for (String text : labelTexts) {
        if (!labels.contains(text)) {
          return false;
        }
      }
      return true;
    }
  }

  private final List<Sample> samples;

  private MetricsPage(List<Sample> samples) {
    this.samples = samples;
  }

  /** Lines that are no samples are left out. */
  public static MetricsPage parse(String text) {
    return new MetricsPage(
        text.lines()
            .filter(line -> !line.startsWith("#"))
            .map(MetricsPage::sample)
            .filter(Objects::nonNull)
            .collect(Collectors.toUnmodifiableList()));
  }

  /** Null when the line is none. */
  private static Sample sample(String line) {
    int labelsEnd = line.lastIndexOf('}');
    int labelsStart = line.indexOf('{');
    boolean labelled = labelsStart >= 0 && labelsEnd > labelsStart;
    int nameEnd = labelled ? labelsStart : line.indexOf(' ');
    if (nameEnd <= 0) {
      return null;
    }
    String labels = labelled ? line.substring(labelsStart + 1, labelsEnd) : "";
    String[] rest = line.substring(labelled ? labelsEnd + 1 : nameEnd).strip().split(" ", 2);
    try {
      return new Sample(line.substring(0, nameEnd), labels, number(rest[0]));
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static double number(String text) {
    switch (text) {
      case "+Inf":
        return Double.POSITIVE_INFINITY;
      case "-Inf":
        return Double.NEGATIVE_INFINITY;
      default:
        return Double.parseDouble(text);
    }
  }

  /** All of them, in the order of the page. */
  public List<Sample> samples() {
    return samples;
  }

  /**
   * The sum of all samples of this name whose labels contain each of these texts, such as {@code
   * stage="notify"}; NaN when there is none.
   */
  public double sum(String name, String... labelTexts) {
    return samples.stream()
        .filter(sample -> sample.is(name, labelTexts))
        .mapToDouble(Sample::value)
        .reduce(Double::sum)
        .orElse(Double.NaN);
  }
}
