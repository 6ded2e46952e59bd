/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.load.RunListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Records this JVM, which is as good as a broker's. */
class FlightRecordingTest {
  @TempDir Path folder;

  @Test
  @Timeout(60)
  void shouldLeaveARecordingAndASummaryOfEachMeasuredPart() throws IOException {
    FlightRecording recording =
        new FlightRecording(RunListener.SILENT, ProcessHandle.current(), folder, "run");

    for (int round = 0; round < 2; round++) {
      recording.measuringStarted();
      assertThat(keepBusy()).isPositive();
      recording.measuringEnded();
    }

    assertThat(folder.toFile().list())
        .containsExactlyInAnyOrder("run-1.jfr", "run-1-jfr.txt", "run-2.jfr", "run-2-jfr.txt");
    assertThat(Files.readString(folder.resolve("run-1-jfr.txt")))
        .contains("Hot methods: on top of the stack")
        .contains("Allocated, by class")
        .containsPattern(
            "[0-9]+ +[0-9.]+% +" + Thread.currentThread().getName().replaceAll("[0-9]+", "#"));
  }

  private static long keepBusy() {
    long sum = 0;
    long endNanos = System.nanoTime() + 500_000_000L;
    while (System.nanoTime() < endNanos) {
      sum += Integer.toString((int) (sum % 1_000)).hashCode() & 1;
      sum++;
    }
    return sum;
  }
}
