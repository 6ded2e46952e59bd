/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import org.junit.jupiter.api.Test;

class RedeliveriesTest {

  private static final int SENT = 1_000;

  private final VirtualCursor cursor =
      new CursorRegistry(new SkippedEntries(), 0).connect("a", 60, () -> 0, SENT);
  private final Redeliveries redeliveries = new Redeliveries(cursor);

  /** I8: a hundred thousand consumers that ask again now and then keep next to nothing. */
  @Test
  void shouldForgetHowOftenEntriesWereAskedForThatAreAcknowledged() {
    redeliveries.add(0);
    assertThat(redeliveries.countOf(0)).isEqualTo(1);
    for (int ordinal = 0; ordinal < 20; ordinal++) {
      redeliveries.add(ordinal);
      redeliveries.remove(ordinal);
      cursor.ackIndividual(ordinal);
    }

    assertThat(redeliveries.countOf(0)).isZero();
  }

  @Test
  void shouldCountHowOftenAnEntryIsAskedFor() {
    for (int time = 0; time < 3; time++) {
      redeliveries.add(5);
      redeliveries.add(5);
      assertThat(redeliveries.remove(5)).isTrue();
    }

    assertThat(redeliveries.countOf(5)).as("asked for while waiting counts once").isEqualTo(3);
    assertThat(redeliveries.remove(5)).isFalse();
  }

  @Test
  void shouldReadEntriesThatAreNearEachOtherTogether() {
    redeliveries.add(5);
    redeliveries.add(9);
    redeliveries.add(500);

    assertThat(redeliveries.first()).isEqualTo(5);
    assertThat(redeliveries.endOfRun()).isEqualTo(10);
  }

  @Test
  void shouldReadOnOverAGapOfSixteen() {
    redeliveries.add(50);
    redeliveries.add(67);
    assertThat(redeliveries.endOfRun()).isEqualTo(68);

    redeliveries.remove(67);
    redeliveries.add(68);
    assertThat(redeliveries.endOfRun()).isEqualTo(51);
  }

  /** Whoever asked for everything does not fill the memory with it at once (I8). */
  @Test
  void shouldReadAtMostAThousandEntriesTogether() {
    for (int ordinal = 50; ordinal < 1_500; ordinal++) {
      redeliveries.keep(ordinal);
    }

    assertThat(redeliveries.endOfRun()).isEqualTo(1_051);
  }

  @Test
  void shouldForgetCountsAgainWhenThereAreTwiceAsMany() {
    for (int ordinal = 0; ordinal < 40; ordinal++) {
      redeliveries.add(ordinal);
    }
    for (int ordinal = 0; ordinal < 40; ordinal++) {
      cursor.ackIndividual(ordinal);
    }
    for (int ordinal = 40; ordinal < 64; ordinal++) {
      redeliveries.add(ordinal);
    }

    assertThat(redeliveries.countOf(0)).isZero();
    assertThat(redeliveries.countOf(63)).isEqualTo(1);
  }

  @Test
  void shouldWantNothingWhenCleared() {
    redeliveries.add(5);
    redeliveries.delay(6);
    redeliveries.clear();
    redeliveries.endDelay(6);

    assertThat(redeliveries.isEmpty()).isTrue();
    assertThat(redeliveries.size()).isZero();
  }
}
