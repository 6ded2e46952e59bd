/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ConsumerTableTest {
  private final ConsumerTable table = new ConsumerTable(3, 130);

  private void receive(int consumer, int... sequences) {
    for (int sequence : sequences) {
      table.record(consumer, sequence);
    }
  }

  @Test
  void shouldCountNothingUnusualInOrder() {
    for (int sequence = 0; sequence < 130; sequence++) {
      assertThat(table.record(1, sequence)).isTrue();
    }

    assertThat(table.received(1)).isEqualTo(130);
    assertThat(table.duplicates[1] + table.outOfOrder[1] + table.skipped[1]).isZero();
    assertThat(table.received(0) + table.received(2)).isZero();
  }

  @Test
  void shouldTellADuplicateFromALateMessage() {
    receive(0, 0, 1, 3);
    assertThat(table.skipped[0]).isEqualTo(1);

    assertThat(table.record(0, 3)).isFalse();
    assertThat(table.record(0, 2)).isTrue();
    assertThat(table.record(0, 2)).isFalse();

    assertThat(table.received(0)).isEqualTo(4);
    assertThat(table.duplicates[0]).isEqualTo(2);
    assertThat(table.outOfOrder[0]).isEqualTo(1);
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
    receive(0, 0, 1, 2, 3, 1, 2, 3, 4);

    assertThat(table.received(0)).isEqualTo(5);
    assertThat(table.duplicates[0]).isEqualTo(3);
    assertThat(table.outOfOrder[0] + table.skipped[0]).isZero();
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
    assertThat(ConsumerTable.bytesPerConsumer(64, false)).isEqualTo(57);
    assertThat(ConsumerTable.bytesPerConsumer(65, true)).isEqualTo(57 + 8 + 16);
    assertThat(1_000_000L * ConsumerTable.bytesPerConsumer(640, true)).isLessThan(150_000_000);
  }

  @Test
  void shouldRefuseWhatDoesNotFit() {
    assertThatThrownBy(() -> new ConsumerTable(1_000_000, 1_000_000))
        .hasMessageContaining("1000000 consumers x 1000000 messages");
  }
}
