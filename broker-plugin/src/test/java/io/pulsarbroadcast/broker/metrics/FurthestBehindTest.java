/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.Seeds;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FurthestBehindTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 100, 2_000})
  void shouldChooseAsSortingWould(int limit) {
    Seeds.forEach("furthest", 20, seed -> chooseAsSortingWould(limit, seed));
  }

  private static void chooseAsSortingWould(int limit, long seed) {
    long[] positions = Seeds.random(seed).longs(1_000, 0, 300).toArray();
    FurthestBehind<String> furthest = new FurthestBehind<>(limit);
    for (long position : positions) {
      furthest.offer("at " + position, position);
    }

    assertThat(furthest.inOrder().stream().mapToLong(FurthestBehind.Placed::position))
        .containsExactlyElementsOf(LongStream.of(positions).sorted().limit(limit).boxed().toList());
    assertThat(furthest.inOrder())
        .allMatch(placed -> placed.item().equals("at " + placed.position()));
  }

  @Test
  void shouldSummarizeLags() {
    assertThat(Lag.of(new long[] {40, 10, 30}, next -> 50 - next)).isEqualTo(new Lag(3, 40, 20));
    assertThat(Lag.of(new long[] {10, 50, 50, 50}, next -> 50 - next)).isEqualTo(new Lag(4, 40, 0));
    assertThat(Lag.of(new long[] {}, next -> 50 - next)).isEqualTo(Lag.NONE);
  }

  @Test
  void shouldRememberTheLastEntriesOnly() {
    PersistTimes times = new PersistTimes();
    for (long entry = 0; entry < 2_000; entry++) {
      times.persisted(1, entry);
    }

    assertThat(times.of(1, 1_999)).isNotNull();
    assertThat(times.of(1, 976)).isNotNull();
    assertThat(times.of(1, 975)).isNull();
    assertThat(times.of(2, 1_999)).as("of another ledger").isNull();
  }
}
