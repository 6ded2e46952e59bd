/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The figures of docs/performance.md, and README's, are those of the CSV files beside them,
 * rounded. A section names its files with a link called "data". Of tables everything but the first
 * column is compared, of a section without a table what has a unit. A figure must be somewhere in
 * the files.
 */
class PublishedFiguresTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern LINK = Pattern.compile("\\]\\((performance/[\\w-]+\\.csv)\\)");
  private static final Pattern FIGURE = Pattern.compile("\\d[\\d,]*(\\.\\d+)?");
  private static final Pattern WITH_UNIT =
      Pattern.compile("(" + FIGURE + ") (ms|s|MB|bytes of live heap)\\b");
  private static final Pattern OUTSIDE_QUOTES = Pattern.compile(",(?=([^\"]*\"[^\"]*\")*[^\"]*$)");

  /** A section of the page; its title is what JUnit shows. */
  private record Section(String title, String text) {
    boolean hasTable() {
      return text.contains("\n|");
    }

    @Override
    public String toString() {
      return title;
    }
  }

  static Stream<Section> sectionsWithData() throws IOException {
    return sections().filter(section -> section.text().contains("[data](performance/"));
  }

  @ParameterizedTest
  @MethodSource("sectionsWithData")
  void shouldBeThoseOfTheData(Section section) throws IOException {
    List<String> figures = section.hasTable() ? ofTables(section.text()) : withUnit(section.text());

    assertThat(figures).isNotEmpty();
    assertThat(notIn(data(section.text()), figures)).isEmpty();
  }

  @Test
  void shouldBeThoseOfTheDataInTheReadme() throws IOException {
    String fanout =
        Files.readAllLines(ROOT.resolve("README.md")).stream()
            .filter(line -> line.startsWith("| `./bench fanout --floor`"))
            .collect(Collectors.joining());
    Section section =
        sections().filter(each -> each.text().contains("fanout-16.csv")).findFirst().orElseThrow();

    assertThat(withUnit(fanout)).hasSize(2);
    assertThat(notIn(data(section.text()), withUnit(fanout))).isEmpty();
  }

  private static Stream<Section> sections() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/performance.md"));
    return Arrays.stream(page.split("\n## ", -1))
        .map(text -> new Section(text.lines().findFirst().orElse(""), text));
  }

  private static List<String> ofTables(String text) {
    List<String> figures = new ArrayList<>();
    List<String> lines = text.lines().toList();
    boolean inBody = false;
    for (String line : lines) {
      if (line.startsWith("|---")) {
        inBody = true;
      } else if (!line.startsWith("|")) {
        inBody = false;
      } else if (inBody) {
        figures.addAll(matches(FIGURE, line.substring(line.indexOf('|', 1)), 0));
      }
    }
    return figures;
  }

  private static List<String> withUnit(String text) {
    return matches(WITH_UNIT, text.replace('\n', ' '), 1);
  }

  private static List<String> matches(Pattern pattern, String text, int group) {
    return pattern.matcher(text).results().map((MatchResult match) -> match.group(group)).toList();
  }

  /** All values of the files; of a file with rounds, of all rounds together where it has that. */
  private static List<BigDecimal> data(String text) throws IOException {
    List<BigDecimal> values = new ArrayList<>();
    for (String file : matches(LINK, text, 1)) {
      List<List<String>> rows =
          Files.readAllLines(ROOT.resolve("docs").resolve(file)).stream()
              .map(line -> List.of(OUTSIDE_QUOTES.split(line, -1)))
              .toList();
      boolean inOneRow = rows.stream().anyMatch(row -> row.contains("all"));
      rows.stream()
          .filter(row -> !inOneRow || row.contains("all"))
          .flatMap(List::stream)
          .filter(value -> value.matches("-?\\d+(\\.\\d+)?"))
          .map(BigDecimal::new)
          .forEach(values::add);
    }
    return values;
  }

  private static List<String> notIn(List<BigDecimal> values, List<String> figures) {
    return figures.stream()
        .filter(
            figure -> {
              BigDecimal shown = new BigDecimal(figure.replace(",", ""));
              return values.stream()
                  .noneMatch(
                      value -> value.setScale(shown.scale(), RoundingMode.HALF_UP).equals(shown));
            })
        .toList();
  }
}
