/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class HistogramsTest {
  private static Histogram of(long... micros) {
    Histogram histogram = Histograms.sum(Stream.of());
    for (long value : micros) {
      histogram.recordValue(value);
    }
    return histogram;
  }

  @Test
  void shouldTellWhatCameSinceFromWhatWasThereBefore() {
    Histogram since = Histograms.since(of(1, 9), of(1, 9, 3, 4));

    assertThat(since.getTotalCount()).isEqualTo(2);
    assertThat(since.getMinValue()).isEqualTo(3);
    assertThat(since.getMaxValue()).isEqualTo(4);
  }

  @Test
  void shouldLeaveWhatItAddsUpAsItWas() {
    Histogram one = of(1);

    assertThat(Histograms.sum(Stream.of(one, of(2, 3))).getTotalCount()).isEqualTo(3);
    assertThat(one.getTotalCount()).isEqualTo(1);
  }
}
