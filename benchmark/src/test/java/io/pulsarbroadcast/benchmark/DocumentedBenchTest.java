/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * What the pages say to type after {@code ./bench} and {@code ./demo} is understood. To run it
 * would take days.
 */
class DocumentedBenchTest {
  private static final Path ROOT = Path.of("..");

  /** An indented line, or, in a paragraph, between backquotes and with an option. */
  private static final Pattern COMMAND =
      Pattern.compile("(?m)(?:`(?=[^`\\n]* --)|^ {4,})\\./(bench|demo)\\b([^`\\n#]*)(?:[`#]|$)");

  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|[^\\s\"]+");

  private static final Pattern NAME = Pattern.compile("\\./bench ([a-z][\\w-]*)");

  static Stream<String> commands() throws IOException {
    return pages().stream().flatMap(DocumentedBenchTest::commandsOf).distinct();
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String folder : List.of("", "docs", "docs/examples", "deploy/aws-terraform")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    pages.remove(ROOT.resolve("CHANGELOG.md"));
    return pages;
  }

  private static Stream<String> commandsOf(Path page) {
    try {
      String text = Files.readString(page).replaceAll("\\\\\\n *", "");
      Matcher commands = COMMAND.matcher(text);
      return commands.results().map(found -> found.group(1) + found.group(2).stripTrailing());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldBeFound() throws IOException {
    assertThat(commands()).contains("demo", "bench fanout --floor --connections 64", "bench jmh");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void shouldBeUnderstood(String command) {
    CommandLine line =
        new CommandLine(new Bench(System.out, System.err, false))
            .setCaseInsensitiveEnumValuesAllowed(true);
    assertThatCode(() -> line.parseArgs(words(command))).doesNotThrowAnyException();
  }

  @Test
  void shouldNameCommandsThatThereAre() throws IOException {
    List<String> names = new ArrayList<>();
    for (Path page : pages()) {
      NAME.matcher(Files.readString(page)).results().forEach(found -> names.add(found.group(1)));
    }
    assertThat(new CommandLine(new Bench(System.out, System.err, false)).getSubcommands())
        .containsKeys(names.toArray(String[]::new));
  }

  private static String[] words(String command) {
    List<String> words =
        WORD.matcher(command)
            .results()
            .map(word -> word.group(1) == null ? word.group() : word.group(1))
            .toList();
    // ./demo is ./bench demo.
    return words.get(0).equals("demo")
        ? words.toArray(String[]::new)
        : Arrays.copyOfRange(words.toArray(String[]::new), 1, words.size());
  }
}
