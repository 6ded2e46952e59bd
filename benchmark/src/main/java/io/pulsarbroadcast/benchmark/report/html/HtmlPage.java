/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts tables and plots together to one HTML page that is well-formed XML and loads nothing. One
 * thread may call it, once.
 */
final class HtmlPage {
  private static final String NONE = "–";
  private static final String STYLE =
      """
      body { font: 16px/1.5 system-ui, sans-serif; color: #2b2b2b; margin: 0; background: #f6f7f8; }
      main { max-width: 1240px; margin: 0 auto; padding: 24px 32px 64px; background: #fff; }
      h1 { font-size: 28px; margin: 0 0 4px; }
      h2 { font-size: 21px; margin: 48px 0 12px; border-bottom: 2px solid #0b6e99; }
      .lead { color: #5c6670; margin: 0 0 16px; }
      nav a { margin-right: 16px; }
      a { color: #0b6e99; }
      .scroll { overflow-x: auto; }
      table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
      th, td { padding: 5px 9px; text-align: right; border-bottom: 1px solid #e3e3e3; }
      td { white-space: nowrap; }
      td.text { white-space: normal; min-width: 7em; }
      th { background: #eef3f6; vertical-align: bottom; }
      th.text, td.text { text-align: left; }
      td.bad { color: #b3261e; font-weight: 600; }
      figure { margin: 24px auto 40px; max-width: 1000px; }
      figure svg { width: 100%; height: auto; border: 1px solid #e3e3e3; }
      figcaption { font-size: 14px; color: #444; margin-top: 8px; }
      .raw { font-size: 12px; color: #5c6670; }
      """;

  private final Path folder;
  private final StringBuilder html = new StringBuilder();

  /** {@code folder} is where the page will be, to which its links are relative. */
  HtmlPage(Path folder) {
    this.folder = folder;
  }

  /** {@code svgs} by the figures' ids, and files beside the page by the same. */
  String render(
      List<Result> results,
      List<Figure> figures,
      Map<String, String> svgs,
      Map<String, List<Path>> plotFiles) {
    html.append("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n")
        .append("<head>\n<meta charset=\"utf-8\"/>\n<title>pulsar-broadcast: results</title>\n")
        .append(
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<style>\n")
        .append(STYLE)
        .append("</style>\n</head>\n<body>\n<main>\n<h1>One topic, very many consumers</h1>\n")
        .append("<p class=\"lead\">")
        .append(results.size())
        .append(results.size() == 1 ? " run" : " runs")
        .append(", drawn ")
        .append(Instant.now().truncatedTo(ChronoUnit.SECONDS))
        .append(". Latency counts from the time a message was due in local runs, and from its")
        .append(" publish time, in whole milliseconds, in runs of OpenMessaging Benchmark.</p>\n");
    Map<String, List<Figure>> sections = new LinkedHashMap<>();
    figures.forEach(
        figure -> sections.computeIfAbsent(figure.section(), s -> new ArrayList<>()).add(figure));
    navigation(sections.keySet());
    runsTable(results);
    latencyTable("End-to-end latency, every percentile (ms)", "end-to-end", results, true);
    latencyTable("Publish latency, every percentile (ms)", "publish", results, false);
    sections.forEach(
        (section, ofSection) -> {
          heading(section);
          ofSection.forEach(
              figure ->
                  figure(
                      figure,
                      svgs.get(figure.id()),
                      plotFiles.getOrDefault(figure.id(), List.of())));
        });
    referenceTable();
    html.append("</main>\n</body>\n</html>\n");
    return html.toString();
  }

  private void navigation(Set<String> sections) {
    html.append("<nav>");
    Set<String> all = new LinkedHashSet<>(List.of("Runs"));
    all.addAll(sections);
    all.add("References");
    for (String section : all) {
      html.append("<a href=\"#").append(Text.id(section)).append("\">");
      html.append(Text.escape(section)).append("</a> ");
    }
    html.append("</nav>\n");
  }

  private void heading(String text) {
    html.append("<h2 id=\"").append(Text.id(text)).append("\">");
    html.append(Text.escape(text)).append("</h2>\n");
  }

  private void runsTable(List<Result> results) {
    heading("Runs");
    tableHead(
        "Workload",
        "Driver",
        "Consumers",
        "Size",
        "Partitions",
        "Published/s",
        "Deliveries/s",
        "Connect all (s)",
        "Last receiver P99 (ms)",
        "Expected",
        "Received",
        "Lacking",
        "Twice",
        "Largest backlog");
    for (Result r : results) {
      html.append("<tr>");
      text(r.workload());
      text(r.driver());
      number(r.consumers());
      cell(Text.bytes(r.messageBytes()));
      number(r.partitions());
      cell(Text.number(r.publishPerSecond()));
      cell(Text.count(r.deliveriesPerSecond()));
      cell(r.connectWallSeconds() < 0 ? NONE : Text.number(r.connectWallSeconds()));
      cell(r.lastReceiver() == null ? NONE : Text.number(r.lastReceiver().p99Micros() / 1e3));
      number(r.expected());
      number(r.received());
      bad(r.expected() < 0 ? -1 : r.expected() - r.received());
      bad(r.duplicates());
      number(r.maxBacklog());
      html.append("</tr>\n");
    }
    tableEnd();
  }

  private void latencyTable(String title, String name, List<Result> results, boolean endToEnd) {
    html.append("<h3 id=\"percentiles-").append(name).append("\">");
    html.append(Text.escape(title)).append("</h3>\n");
    tableHead(
        "Workload",
        "Driver",
        "Consumers",
        "Published/s",
        "P50",
        "P75",
        "P95",
        "P99",
        "P99.9",
        "P99.99",
        "max",
        "Raw data");
    for (Result r : results) {
      html.append("<tr>");
      text(r.workload());
      text(r.driver());
      number(r.consumers());
      cell(Text.number(r.publishPerSecond()));
      (endToEnd ? r.endToEndMillis() : r.publishMillis())
          .values()
          .forEach(millis -> cell(Text.number(millis)));
      html.append("<td class=\"text\">");
      links(r.files());
      html.append("</td></tr>\n");
    }
    tableEnd();
  }

  private void referenceTable() {
    heading("References");
    html.append("<p>What NTT's post (January 2023; i3.4xlarge, Pulsar 2.10, 10 KB at 1 msg/s, Java")
        .append(
            " clients through OpenMessaging Benchmark) says in words; its tables are pictures.</p>\n");
    tableHead("Series", "Consumers", "P99 (ms)", "Connect all (s)", "In words");
    for (Reference r : Reference.NTT) {
      html.append("<tr>");
      text(r.series());
      number(r.consumers());
      cell(r.p99Millis() < 0 ? NONE : Text.number(r.p99Millis()));
      cell(r.connectSeconds() < 0 ? NONE : Text.number(r.connectSeconds()));
      text(r.words());
      html.append("</tr>\n");
    }
    tableEnd();
  }

  private void figure(Figure figure, String svg, List<Path> files) {
    html.append("<figure id=\"").append(figure.id()).append("\">\n").append(svg).append('\n');
    html.append("<figcaption>").append(Text.escape(figure.caption()));
    Set<String> environments = new LinkedHashSet<>();
    Set<Path> raw = new LinkedHashSet<>();
    for (Result result : figure.results()) {
      if (result.environment() != null) {
        environments.add(result.environment());
      }
      raw.addAll(result.files());
    }
    html.append("<div class=\"raw\">");
    if (!environments.isEmpty()) {
      html.append("Environment: ").append(Text.escape(String.join("; ", environments)));
      html.append("<br/>");
    }
    html.append("Raw data: ");
    links(List.copyOf(raw));
    html.append("<br/>Plot: ");
    links(files);
    html.append("</div></figcaption>\n</figure>\n");
  }

  private void links(List<Path> files) {
    String separator = "";
    for (Path file : files) {
      String relative = folder.relativize(file).toString().replace('\\', '/');
      html.append(separator).append("<a href=\"").append(Text.escape(relative)).append("\">");
      html.append(Text.escape(file.getFileName().toString())).append("</a>");
      separator = ", ";
    }
  }

  private void tableHead(String... names) {
    html.append("<div class=\"scroll\"><table>\n<thead><tr>");
    for (String name : names) {
      boolean words = Set.of("Workload", "Driver", "Series", "In words", "Raw data").contains(name);
      html.append(words ? "<th class=\"text\">" : "<th>").append(Text.escape(name)).append("</th>");
    }
    html.append("</tr></thead>\n<tbody>\n");
  }

  private void tableEnd() {
    html.append("</tbody>\n</table></div>\n");
  }

  private void text(String value) {
    html.append("<td class=\"text\">").append(Text.escape(value)).append("</td>");
  }

  private void cell(String value) {
    html.append("<td>").append(Text.escape(value)).append("</td>");
  }

  private void number(long value) {
    cell(value < 0 ? NONE : Text.count(value));
  }

  private void bad(long value) {
    if (value > 0) {
      html.append("<td class=\"bad\">").append(Text.count(value)).append("</td>");
    } else {
      number(value);
    }
  }
}
