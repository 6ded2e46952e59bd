/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.DocumentedCommands.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Of each documented command it is known what runs it, or why nothing does. */
class DocumentedCommandsTest {
  private static final Pattern NOT_RUN = Pattern.compile("no command|not run: .+");
  private static final Pattern SCRIPT = Pattern.compile("[\\w./-]*/[\\w.-]+");
  private static final Pattern CLASS = Pattern.compile("\\b[A-Z]\\w+IT\\b");

  @Test
  void shouldBeInTheTable() throws IOException {
    assertThat(DocumentedCommands.table())
        .extracting(Row::command)
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(
            DocumentedCommands.ofAllPages().stream()
                .filter(command -> !command.isOfBench())
                .collect(Collectors.toSet()));
  }

  @Test
  void shouldBeRunByWhatThereIs() throws IOException {
    assertThat(DocumentedCommands.table())
        .allSatisfy(
            row ->
                assertThat(NOT_RUN.matcher(row.runBy()).matches() || exists(row.runBy()))
                    .as("'%s' says what runs it: %s", row.runBy(), row.command())
                    .isTrue());
  }

  private static boolean exists(String runBy) throws IOException {
    Matcher named = CLASS.matcher(runBy);
    if (named.find()) {
      return isSource(named.group() + ".java");
    }
    Matcher script = SCRIPT.matcher(runBy);
    return script.find() && Files.isExecutable(DocumentedCommands.ROOT.resolve(script.group()));
  }

  private static boolean isSource(String file) throws IOException {
    for (String module : List.of("tests/integration", "tests/containers")) {
      try (Stream<Path> files =
          Files.walk(DocumentedCommands.ROOT.resolve(module).resolve("src"))) {
        if (files.anyMatch(path -> path.endsWith(file))) {
          return true;
        }
      }
    }
    return false;
  }
}
