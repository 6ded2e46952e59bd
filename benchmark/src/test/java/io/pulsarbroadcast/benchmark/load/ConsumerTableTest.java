/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ConsumerTableTest {
  private final ConsumerTable table = new ConsumerTable(3, 130, true);

  /** Messages that stand in the topic in the order of their numbers. */
  private void receive(int consumer, int... sequences) {
    receive(table, consumer, sequences);
  }

  private static void receive(ConsumerTable table, int consumer, int... sequences) {
    for (int sequence : sequences) {
      table.record(consumer, sequence, 7, sequence);
    }
  }

  private void comeBackAndReceive(int consumer, int... sequences) {
    table.subscribing(consumer);
    receive(consumer, sequences);
  }

  @Test
  void shouldCountNothingUnusualInOrder() {
    for (int sequence = 0; sequence < 130; sequence++) {
      assertThat(table.record(1, sequence, 7, sequence)).isTrue();
    }

    assertThat(table.received(1)).isEqualTo(130);
    assertThat(table.duplicates[1] + table.outOfOrder[1] + table.skipped[1]).isZero();
    assertThat(table.received(0) + table.received(2)).isZero();
  }

  @Test
  void shouldTellADuplicateFromALateMessage() {
    receive(0, 0, 1, 3);
    assertThat(table.skipped[0]).isEqualTo(1);

    assertThat(table.record(0, 3, 7, 3)).isFalse();
    assertThat(table.outOfOrder[0]).as("repeated where it stands").isZero();
    assertThat(table.record(0, 2, 7, 2)).isTrue();
    assertThat(table.outOfOrder[0]).isEqualTo(1);
    assertThat(table.record(0, 2, 7, 2)).isFalse();

    assertThat(table.received(0)).isEqualTo(4);
    assertThat(table.duplicates[0]).isEqualTo(2);
    assertThat(table.outOfOrder[0]).as("both are behind number 3").isEqualTo(2);
  }

  @Test
  void shouldKnowWhichMessagesAreMissing() {
    receive(2, 0, 64, 129);

    assertThat(table.skipped[2]).isEqualTo(63 + 64);
    assertThat(table.hasReceived(2, 64)).isTrue();
    assertThat(table.hasReceived(2, 63)).isFalse();
    assertThat(table.hasReceived(2, 128)).isFalse();
  }

  @Test
  void shouldNotCountARedeliveryAsOutOfOrder() {
    receive(0, 0, 1, 2, 3);
    comeBackAndReceive(0, 1, 2, 3, 4);

    assertThat(table.received(0)).isEqualTo(5);
    assertThat(table.duplicates[0]).isEqualTo(3);
    assertThat(table.disorder(0)).isZero();
  }

  @Test
  void shouldFindASwapInARedelivery() {
    receive(0, 0, 1, 2, 3);
    comeBackAndReceive(0, 1, 3, 2, 4);

    assertThat(table.outOfOrder[0]).isEqualTo(1);
    assertThat(table.skipped[0]).as("passed over, and came after all").isEqualTo(1);
    assertThat(table.duplicates[0]).isEqualTo(3);
  }

  @Test
  void shouldFindAGapInARedelivery() {
    receive(0, 0, 1, 2, 3, 4);
    comeBackAndReceive(0, 1, 4, 5);

    assertThat(table.skipped[0]).as("2 and 3").isEqualTo(2);
    assertThat(table.outOfOrder[0]).isZero();
  }

  @Test
  void shouldFindAGapBetweenWhatCameAgainAndWhatIsNew() {
    receive(0, 0, 1, 2);
    comeBackAndReceive(0, 1, 3);

    assertThat(table.skipped[0]).isEqualTo(1);
  }

  @Test
  void shouldFindAGapWhereAConsumerComesBack() {
    receive(0, 0, 1, 2);
    comeBackAndReceive(0, 4);

    assertThat(table.skipped[0]).isEqualTo(1);
  }

  @Test
  void shouldFindARewindThatNobodyAskedFor() {
    receive(0, 0, 1, 2, 3, 1, 2, 3, 4);

    assertThat(table.outOfOrder[0]).as("1 and 2; 3 is where the consumer stood").isEqualTo(2);
  }

  @Test
  void shouldNotCountWhatWasAcknowledgedOnItsOwnAsAGapInARedelivery() {
    ConsumerTable individual = new ConsumerTable(1, 10, false);
    receive(individual, 0, 0, 1, 2, 3, 5);
    assertThat(individual.skipped[0]).isEqualTo(1);

    individual.subscribing(0);
    receive(individual, 0, 1, 3, 6);

    assertThat(individual.skipped[0]).as("4, which never came, once more").isEqualTo(2);
    assertThat(individual.outOfOrder[0]).isZero();
  }

  /** After a crash the producer sends again what it has heard nothing of. */
  @Test
  void shouldNotCountASecondCopyInTheTopicAsOutOfOrder() {
    receive(0, 0, 1, 2);
    table.record(0, 1, 8, 0);
    table.record(0, 2, 8, 1);
    table.record(0, 3, 8, 2);

    assertThat(table.disorder(0)).isZero();
    assertThat(table.duplicates[0]).isEqualTo(2);
  }

  @Test
  void shouldKnowOnlyTheMessagesOfTheRun() {
    assertThat(table.knows(0)).isTrue();
    assertThat(table.knows(129)).isTrue();
    assertThat(table.knows(130)).isFalse();
    assertThat(table.knows(-1)).isFalse();
  }

  @Test
  void shouldHoldAMillionConsumersInAFractionOfAHeap() {
    assertThat(ConsumerTable.bytesPerConsumer(64)).isEqualTo(77);
    assertThat(ConsumerTable.bytesPerConsumer(65)).isEqualTo(77 + 8);
    assertThat(1_000_000L * ConsumerTable.bytesPerConsumer(640)).isLessThan(150_000_000);
  }

  @Test
  void shouldRefuseWhatDoesNotFit() {
    assertThatThrownBy(() -> new ConsumerTable(1_000_000, 1_000_000, true))
        .hasMessageContaining("1000000 consumers x 1000000 messages");
  }
}
