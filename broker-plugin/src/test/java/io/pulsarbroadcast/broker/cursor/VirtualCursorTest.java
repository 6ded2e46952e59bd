/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.Seeds;
import io.pulsarbroadcast.broker.cursor.VirtualCursor.AckResult;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class VirtualCursorTest {

  private final SkippedEntries skipped = new SkippedEntries();
  private final VirtualCursor cursor = new VirtualCursor("car-1", true, skipped, 10, 0);

  @Test
  void shouldForgetWhatAnAcknowledgementNamedBeyondABatch() {
    VirtualCursor cursor = new VirtualCursor("car", true, new SkippedEntries(), 0, 10);
    cursor.ackPart(3, new long[] {0b1100, 1});
    assertThat(cursor.cutPart(3, 3)).isFalse();
    assertThat(cursor.remaining(3)).containsExactly(0b100, 0);
    assertThat(cursor.cutPart(3, 2)).as("all of its messages are acknowledged").isTrue();
    assertThat(cursor.cutPart(4, 2)).as("nothing of it is").isFalse();
  }

  @Test
  void shouldAdvanceWithCumulativeAcknowledgements() {
    cursor.delivered(20);
    assertThat(cursor.ackCumulative(14)).isEqualTo(AckResult.ADVANCED);
    assertThat(cursor.next()).isEqualTo(15);
    assertThat(cursor.ackCumulative(12)).isEqualTo(AckResult.UNCHANGED);
    assertThat(cursor.next()).as("I5: never back").isEqualTo(15);
  }

  @Test
  void shouldKeepHolesOfIndividualAcknowledgements() {
    cursor.delivered(20);
    assertThat(cursor.ackIndividual(12)).isEqualTo(AckResult.PART);
    assertThat(cursor.ackIndividual(11)).isEqualTo(AckResult.PART);
    assertThat(cursor.next()).as("I4: 10 is not acknowledged").isEqualTo(10);
    assertThat(cursor.isAcknowledged(12)).isTrue();
    assertThat(cursor.isAcknowledged(13)).isFalse();
    assertThat(cursor.ackIndividual(10)).isEqualTo(AckResult.ADVANCED);
    assertThat(cursor.next()).isEqualTo(13);
  }

  @Test
  void shouldRefuseAPartOfABatchThatWasNeverSent() {
    cursor.delivered(20);
    assertThat(cursor.ackPart(20, new long[] {0b10})).isEqualTo(AckResult.NOT_SENT);
    assertThat(cursor.ackPart(19, new long[] {0b10})).isEqualTo(AckResult.PART);
    assertThat(cursor.remaining(20)).isNull();
  }

  @Test
  void shouldAcknowledgeABatchWithItsLastMessage() {
    cursor.delivered(20);
    cursor.ackPart(12, new long[] {0b10});
    int version = cursor.aheadVersion();
    assertThat(cursor.ackPart(12, new long[] {0b01})).isEqualTo(AckResult.PART);
    assertThat(cursor.isAcknowledged(12)).isTrue();
    assertThat(cursor.remaining(12)).as("nothing of a batch that is acknowledged").isNull();
    assertThat(cursor.aheadVersion()).as("it is to be stored").isGreaterThan(version);
    cursor.ackPart(10, new long[] {0b10});
    assertThat(cursor.ackPart(10, new long[] {0b01})).isEqualTo(AckResult.ADVANCED);
    assertThat(cursor.next()).isEqualTo(11);
  }

  @Test
  void shouldTakeAnAcknowledgementTwice() {
    cursor.delivered(20);
    assertThat(cursor.ackIndividual(9)).as("before the position").isEqualTo(AckResult.UNCHANGED);
    assertThat(cursor.ackPart(9, new long[] {0b10})).isEqualTo(AckResult.UNCHANGED);
    assertThat(cursor.next()).isEqualTo(10);
  }

  @Test
  void shouldForgetAPartWithTheWholeBatch() {
    cursor.delivered(20);
    cursor.ackPart(12, new long[] {0b10});
    cursor.ackIndividual(12);
    assertThat(cursor.remaining(12)).isNull();
    cursor.ackPart(14, new long[] {0b10});
    cursor.ackCumulative(15);
    assertThat(cursor.remaining(14)).isNull();
  }

  @Test
  void shouldCloseHolesBehindACumulativeAcknowledgement() {
    cursor.delivered(20);
    cursor.ackIndividual(15);
    cursor.ackIndividual(17);
    cursor.ackCumulative(14);
    assertThat(cursor.next()).isEqualTo(16);
    assertThat(cursor.isAcknowledged(17)).isTrue();
  }

  @Test
  void shouldAcknowledgeABatchWhenAllOfItsMessagesAre() {
    cursor.delivered(20);
    assertThat(cursor.ackPart(12, new long[] {0b0111, 1})).isEqualTo(AckResult.PART);
    assertThat(cursor.ackPart(12, new long[] {0b1110, 1})).isEqualTo(AckResult.PART);
    assertThat(cursor.remaining(12)).as("both acknowledgements").containsExactly(0b0110, 1);
    assertThat(cursor.isAcknowledged(12)).as("I4").isFalse();
    assertThat(cursor.ackPart(12, new long[] {0, 0})).isEqualTo(AckResult.PART);
    assertThat(cursor.isAcknowledged(12)).isTrue();
    assertThat(cursor.remaining(12)).isNull();
    assertThat(cursor.ackPart(12, new long[] {1})).isEqualTo(AckResult.UNCHANGED);
    cursor.ackCumulative(11);
    assertThat(cursor.next()).isEqualTo(13);
  }

  @Test
  void shouldForgetPartsOfBatchesThatThePositionPasses() {
    cursor.delivered(20);
    cursor.ackPart(10, new long[] {1});
    assertThat(cursor.next()).as("I4").isEqualTo(10);
    cursor.ackPart(15, new long[] {1});
    cursor.ackCumulative(14);
    assertThat(cursor.remaining(10)).isNull();
    assertThat(cursor.remaining(15)).containsExactly(1);
    assertThat(cursor.ackPart(15, new long[] {2})).isEqualTo(AckResult.ADVANCED);
    assertThat(cursor.next()).isEqualTo(16);
  }

  @Test
  void shouldCountWhatIsNotAcknowledged() {
    cursor.delivered(20);
    cursor.ackIndividual(15);
    cursor.ackIndividual(18);
    assertThat(cursor.unacknowledgedBefore(20)).isEqualTo(8);
    assertThat(cursor.unacknowledgedBefore(16)).isEqualTo(5);
    assertThat(cursor.unacknowledgedBefore(10)).isZero();
  }

  @Test
  void shouldRefuseWhatWasNeverSent() {
    cursor.delivered(12);
    assertThat(cursor.ackCumulative(12)).isEqualTo(AckResult.NOT_SENT);
    assertThat(cursor.ackIndividual(13)).isEqualTo(AckResult.NOT_SENT);
    assertThat(cursor.next()).isEqualTo(10);
  }

  @Test
  void shouldPassEntriesThatNobodyIsGiven() {
    cursor.delivered(20);
    skipped.add(11, 13);
    cursor.ackIndividual(13);
    cursor.ackIndividual(10);
    assertThat(cursor.next()).isEqualTo(14);
  }

  @Test
  void shouldCloseAHoleBehindEntriesForNobodyThatAreReadLater() {
    cursor.delivered(20);
    cursor.ackIndividual(12);
    cursor.ackIndividual(10);
    // After a restart or a seek: 11 was acknowledged around, and is only now known to be a marker.
    skipped.add(11, 12);
    cursor.delivered(13);
    assertThat(cursor.next()).as("I3: nothing is held that is acknowledged").isEqualTo(13);
  }

  @Test
  void shouldForgetWhatFollowsOnReset() {
    cursor.delivered(20);
    cursor.ackIndividual(15);
    cursor.ackCumulative(12);
    cursor.reset(11);
    assertThat(cursor.next()).isEqualTo(11);
    assertThat(cursor.isAcknowledged(15)).isFalse();
  }

  @Test
  void shouldNotWaitForWhatASeekPassedOverOfABatch() {
    cursor.reset(new SeekTarget(20, new long[] {0b1100}));
    assertThat(cursor.remaining(20)).as("sent whole").isNull();
    cursor.delivered(22);
    cursor.ackPart(21, new long[] {0b0111});
    cursor.ackPart(20, new long[] {0b1011});
    assertThat(cursor.remaining(20)).containsExactly(0b1000);
    assertThat(cursor.remaining(21)).as("another batch").containsExactly(0b0111);
    assertThat(cursor.ackPart(20, new long[] {0b0111})).isEqualTo(AckResult.ADVANCED);
    assertThat(cursor.next()).isEqualTo(21);
  }

  @Test
  void shouldWaitForAllOfABatchAfterAnotherSeek() {
    cursor.reset(new SeekTarget(20, new long[] {0b1100}));
    cursor.reset(20);
    cursor.delivered(21);
    cursor.ackPart(20, new long[] {0b0011});
    assertThat(cursor.next()).isEqualTo(20);
  }

  @Test
  void shouldMatchANaiveCursorOverRandomAcknowledgements() {
    Seeds.forEach("cursor", 200, VirtualCursorTest::matchANaiveCursor);
  }

  private static void matchANaiveCursor(long seed) {
    Random random = Seeds.random(seed);
    SkippedEntries none = new SkippedEntries();
    VirtualCursor tested = new VirtualCursor("c", true, none, 0, 0);
    TreeSet<Long> naive = new TreeSet<>();
    tested.delivered(100);
    for (int step = 0; step < 200; step++) {
      long ordinal = random.nextInt(100);
      if (random.nextInt(10) == 0) {
        tested.ackCumulative(ordinal);
        for (long i = 0; i <= ordinal; i++) {
          naive.add(i);
        }
      } else {
        tested.ackIndividual(ordinal);
        naive.add(ordinal);
      }
      long expected = 0;
      while (naive.contains(expected)) {
        expected++;
      }
      assertThat(tested.next()).as("step %d", step).isEqualTo(expected);
      long probe = random.nextInt(100);
      assertThat(tested.isAcknowledged(probe)).isEqualTo(naive.contains(probe));
    }
  }

  @Test
  @Timeout(60)
  void shouldLoseNoAcknowledgementOfSeveralThreads() throws Exception {
    int entries = 20_000;
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 20; round++) {
        VirtualCursor shared = new VirtualCursor("c", true, new SkippedEntries(), 0, 0);
        shared.delivered(entries);
        CountDownLatch start = new CountDownLatch(1);
        // Three threads acknowledge every entry between them, one cumulatively up to every
        // hundredth.
        Future<?>[] done =
            IntStream.range(0, 4)
                .mapToObj(
                    thread ->
                        threads.submit(
                            () -> {
                              start.await();
                              for (int i = 0; i < entries; i++) {
                                if (thread == 3 && i % 100 == 0) {
                                  shared.ackCumulative(i);
                                } else if (i % 3 == thread) {
                                  shared.ackIndividual(i);
                                }
                              }
                              return null;
                            }))
                .toArray(Future<?>[]::new);
        start.countDown();
        for (Future<?> future : done) {
          future.get();
        }
        assertThat(shared.next()).as("round %d", round).isEqualTo(entries);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void shouldKnowWhereItsConsumerConnectedFromLast() {
    VirtualCursor cursor = new VirtualCursor("car-1", true, new SkippedEntries(), 0, 0);
    byte[] garage = {1};
    byte[] road = {2};
    assertThat(cursor.connectedFrom(garage)).isNull();
    assertThat(cursor.connectedFrom(road)).isSameAs(garage);
    assertThat(cursor.copy().connectedFrom(garage)).isSameAs(road);
  }
}
