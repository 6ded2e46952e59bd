/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.pulsarbroadcast.benchmark.Bench;
import io.pulsarbroadcast.it.DocumentedCommands.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|[^\\s\"]+");

  private static final Pattern NAME = Pattern.compile("\\./bench ([a-z][\\w-]*)");

  static Stream<String> commands() throws IOException {
    return DocumentedCommands.ofAllPages().stream()
        .filter(Command::isOfBench)
        .map(command -> command.text().replaceFirst("#.*", "").strip())
        .distinct();
  }

  @Test
  void shouldBeFound() throws IOException {
    assertThat(commands())
        .contains("./demo", "./bench fanout --floor --connections 64", "./bench jmh");
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
    for (Path page : DocumentedCommands.pages()) {
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
    Stream<String> first = words.get(0).equals("./demo") ? Stream.of("demo") : Stream.of();
    return Stream.concat(first, words.stream().skip(1)).toArray(String[]::new);
  }
}
