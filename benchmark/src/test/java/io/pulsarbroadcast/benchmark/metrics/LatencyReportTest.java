/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyReportTest {
  @Test
  void shouldKeepTheWholeHistogram() {
    Histogram original = new Histogram(3_600_000_000L, 3);
    for (long i = 1; i <= 1_000; i++) {
      original.recordValue(20 * i);
    }

    LatencyReport report = LatencyReport.of(original);

    assertThat(report.decode()).isEqualTo(original);
    assertThat(report.buckets().stream().mapToLong(LatencyReport.Bucket::count).sum())
        .isEqualTo(1_000);
    assertThat(report.p50Micros()).isBetween(9_990L, 10_010L);
    assertThat(report.percentiles()).last().extracting("percentile").isEqualTo(100.0);
  }

  @Test
  void shouldReportARunInWhichNothingArrived() {
    LatencyReport report = LatencyReport.of(new Histogram(3_600_000_000L, 3));

    assertThat(report.count()).isZero();
    assertThat(report.maxMicros()).isZero();
  }
}
