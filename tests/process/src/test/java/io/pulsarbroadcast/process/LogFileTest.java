/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFileTest {
  private static final String CAUSE = "Caused by: java.lang.IllegalStateException: one sentence";
  @TempDir Path folder;

  @Test
  void shouldFindWhatWentWrongInThisStartOnly() throws IOException {
    Path file = folder.resolve("pulsar.log");
    Files.writeString(file, "java.io.IOException: of an earlier start\nan earlier line\n");
    LogFile log = LogFile.fromNow(file);
    Files.writeString(
        file,
        "2026 [main] ERROR a.b.C - java.io.IOException: in a line of its own\n"
            + "org.acme.SomeException: outer\n\tat org.acme.X.y(X.java:1)\n"
            + CAUSE
            + "\n"
            + CAUSE
            + "\nthe end\n",
        StandardOpenOption.APPEND);

    assertThat(log.errors()).containsExactly("org.acme.SomeException: outer", CAUSE);
    assertThat(log.tail(2)).containsExactly(CAUSE, "the end");
    assertThat(LogFile.all(file).tail(100)).contains("an earlier line");
  }

  @Test
  void shouldFindNothingInAFileThatIsNotThere() throws IOException {
    LogFile log = LogFile.fromNow(folder.resolve("absent.log"));

    assertThat(log.errors()).isEmpty();
    assertThat(log.tail(3)).isEmpty();
  }
}
