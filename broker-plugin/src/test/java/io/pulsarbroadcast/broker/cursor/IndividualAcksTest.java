/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** I8: how much is kept of batches that are acknowledged in part. */
class IndividualAcksTest {

  private static final long[] ALL_THERE_IS_ROOM_FOR = part(IndividualAcks.MAX_PART_WORDS);

  private final IndividualAcks ahead = new IndividualAcks();

  @Test
  void shouldHaveRoomForSoMuchAndNoMore() {
    assertThat(ahead.hasRoomFor(1, part(IndividualAcks.MAX_PART_WORDS + 1))).isFalse();
    assertThat(ahead.hasRoomFor(1, ALL_THERE_IS_ROOM_FOR)).isTrue();
    ahead.addPart(1, ALL_THERE_IS_ROOM_FOR);
    assertThat(ahead.hasRoomFor(2, part(1))).isFalse();
    assertThat(ahead.hasRoomFor(1, ALL_THERE_IS_ROOM_FOR)).as("it is there already").isTrue();
  }

  @Test
  void shouldCountABatchOnce() {
    ahead.addPart(1, part(IndividualAcks.MAX_PART_WORDS - 1));
    ahead.addPart(1, part(IndividualAcks.MAX_PART_WORDS - 1));
    assertThat(ahead.hasRoomFor(2, part(1))).isTrue();
    ahead.addPart(2, part(1));
    assertThat(ahead.hasRoomFor(3, part(1))).isFalse();
  }

  @Test
  void shouldGiveBackTheRoomOfABatchThatIsAcknowledged() {
    ahead.addPart(1, ALL_THERE_IS_ROOM_FOR);
    ahead.add(1);
    ahead.removeBefore(2);
    assertNothingIsKept();
  }

  @Test
  void shouldGiveBackTheRoomOfABatchOfWhichNothingRemains() {
    ahead.addPart(1, ALL_THERE_IS_ROOM_FOR);
    assertThat(ahead.addPart(1, new long[IndividualAcks.MAX_PART_WORDS])).isTrue();
    assertNothingIsKept();
  }

  @Test
  void shouldGiveBackTheRoomOfABatchThatThePositionHasPassed() {
    ahead.addPart(1, ALL_THERE_IS_ROOM_FOR);
    ahead.removeBefore(1);
    assertThat(ahead.hasRoomFor(2, part(1))).as("it is not before itself").isFalse();
    ahead.removeBefore(2);
    assertNothingIsKept();
  }

  private void assertNothingIsKept() {
    assertThat(ahead.isEmpty()).isTrue();
    assertThat(ahead.hasRoomFor(2, ALL_THERE_IS_ROOM_FOR)).isTrue();
  }

  /** A part of so many words, with a message that is not acknowledged. */
  private static long[] part(int words) {
    long[] remaining = new long[words];
    remaining[0] = 1;
    return remaining;
  }
}
