/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);

  @Test
  void shouldDrawABarOnATerminal() {
    Progress progress = new Progress(stream, true);
    progress.phaseStarted("connect", 1_000);
    progress.progress(500);
    progress.phaseEnded();

    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("[###############---------------] 500 of 1,000")
        .endsWith(System.lineSeparator());
  }

  @Test
  void shouldPrintLinesElsewhere() {
    Progress progress = new Progress(stream, false);
    progress.phaseStarted("connect", 1_000);
    for (int done = 0; done <= 1_000; done++) {
      progress.progress(done);
    }
    progress.phaseEnded();

    assertThat(out.toString(StandardCharsets.UTF_8))
        .hasLineCount(1)
        .contains("connect", "1,000 of 1,000")
        .doesNotContainPattern("[\\p{Cntrl}&&[^\\n]]")
        .doesNotContain("#");
  }

  @Test
  void shouldBeSilentAfterAnInterrupt() {
    Progress progress = new Progress(stream, false);
    progress.phaseStarted("connect", 10);
    progress.interrupt();
    progress.phaseEnded();

    assertThat(out.size()).isZero();
  }
}
