/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PositionTrailTest {
  private final PartitionLedgers ledgers = new PartitionLedgers();
  private final PositionTrail trail = new PositionTrail(ledgers);

  /** A consumer that is sent everything, so that it is known to exist. */
  private final PositionTrail witness = new PositionTrail(ledgers);

  private static void receive(PositionTrail by, long ledger, long... entries) {
    for (long entry : entries) {
      by.received(ledger, entry, -1, 0);
    }
  }

  @Test
  void shouldFindNothingWhenEverythingCameOnceAndInOrder() {
    receive(trail, 5, 0, 1, 2);
    receive(trail, 9, 0, 1);

    assertThat(trail.finding().isClean()).isTrue();
    assertThat(trail.finding().expected).isEqualTo(5);
    assertThat(trail.messages()).isEqualTo(5);
    assertThat(trail.isComplete()).isTrue();
  }

  @Test
  void shouldCountAGapWithinALedger() {
    receive(trail, 5, 0, 1, 4);

    assertThat(trail.finding().gaps()).isEqualTo(2);
    assertThat(trail.finding().behind).isZero();
    assertThat(trail.isComplete()).isFalse();
  }

  @Test
  void shouldCountWhatIsMissingAtTheStartOfTheTopic() {
    receive(trail, 5, 2, 3);

    assertThat(trail.finding().gaps()).isEqualTo(2);
  }

  @Test
  void shouldCountWhatIsMissingAtTheEndOfALedgerAndAWholeLedger() {
    receive(witness, 5, 0, 1, 2);
    receive(witness, 6, 0, 1);
    receive(witness, 7, 0);
    receive(trail, 5, 0, 1);
    receive(trail, 7, 0);

    assertThat(witness.finding().isClean()).isTrue();
    assertThat(trail.finding().gaps()).isEqualTo(3);
    assertThat(trail.finding().behind).isZero();
  }

  @Test
  void shouldTellWhatIsOutstandingAtTheEndFromAGap() {
    receive(witness, 5, 0, 1, 2, 3);
    receive(trail, 5, 0, 2);

    assertThat(trail.finding().gaps()).isEqualTo(1);
    assertThat(trail.finding().behind).isEqualTo(1);
  }

  @Test
  void shouldCountEverythingAsOutstandingForAConsumerThatReceivedNothing() {
    receive(witness, 5, 0, 1);

    assertThat(trail.finding().missing()).isEqualTo(2);
    assertThat(trail.finding().behind).isEqualTo(2);
    assertThat(trail.finding().gaps()).isZero();
  }

  @Test
  void shouldTellALateEntryFromADuplicate() {
    receive(trail, 5, 0, 4, 2, 2, 4, 1, 3);

    assertThat(trail.finding().missing()).isZero();
    assertThat(trail.finding().late).isEqualTo(3);
    assertThat(trail.finding().duplicates).isEqualTo(2);
    assertThat(trail.finding().isClean()).isFalse();
  }

  @Test
  void shouldFollowTheMessagesOfABatch() {
    for (int index = 0; index < 3; index++) {
      trail.received(5, 0, index, 3);
    }
    trail.received(5, 1, 0, 2);
    trail.received(5, 1, 1, 2);

    assertThat(trail.finding().isClean()).isTrue();
    assertThat(trail.messages()).isEqualTo(5);
    assertThat(trail.finding().received).isEqualTo(2);
  }

  @Test
  void shouldCountMessagesMissingFromBatches() {
    trail.received(5, 0, 1, 4);
    trail.received(5, 0, 1, 4);
    trail.received(5, 1, -1, 0);

    assertThat(trail.finding().missingOfBatches).isEqualTo(3);
    assertThat(trail.finding().duplicates).isEqualTo(1);
  }

  @Test
  void shouldLearnFromTheBrokerWhatNobodyWasSent() throws JsonProcessingException {
    receive(trail, 5, 0, 1);

    ledgers.add(
        new ObjectMapper()
            .readTree(
                "{\"currentLedgerEntries\": 2, \"ledgers\": [{\"ledgerId\": 5, \"entries\": 3},"
                    + " {\"ledgerId\": 8, \"entries\": 0}]}"));

    assertThat(trail.finding().expected).isEqualTo(5);
    assertThat(trail.finding().behind).isEqualTo(3);
  }

  /** One that is always the same, and a new one; {@code -Dseed=N} repeats a run. */
  static LongStream seeds() {
    return LongStream.of(7, Long.getLong("seed", System.nanoTime()));
  }

  /** Invariants I1 and I2 as they are measured: what is lost, late and double is all found. */
  @ParameterizedTest(name = "-Dseed={0}")
  @MethodSource("seeds")
  void shouldAgreeWithARecordOfEverything(long seed) {
    System.out.println("PositionTrailTest: -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      PartitionLedgers known = new PartitionLedgers();
      PositionTrail measured = new PositionTrail(known);
      PositionTrail everything = new PositionTrail(known);
      List<long[]> sent = new ArrayList<>();
      for (long ledger = 0; ledger < 3; ledger++) {
        for (long entry = 0; entry < 20; entry++) {
          everything.received(ledger, entry, -1, 0);
          if (random.nextInt(5) > 0) {
            sent.add(new long[] {ledger, entry});
          }
        }
      }
      int distinct = sent.size();
      int doubles = random.nextInt(4);
      for (int i = 0; i < doubles && distinct > 0; i++) {
        int at = random.nextInt(sent.size());
        sent.add(at + 1, sent.get(at));
      }
      sent.forEach(id -> measured.received(id[0], id[1], -1, 0));

      assertThat(measured.finding().missing()).as("-Dseed=%d", seed).isEqualTo(60 - distinct);
      assertThat(measured.finding().duplicates).as("-Dseed=%d", seed).isEqualTo(doubles);
      assertThat(measured.finding().gaps()).as("-Dseed=%d", seed).isNotNegative();
    }
  }
}
