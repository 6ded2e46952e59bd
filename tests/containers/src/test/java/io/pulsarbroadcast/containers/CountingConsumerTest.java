/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.containers.CountingConsumer.Acknowledging;
import io.pulsarbroadcast.containers.CountingConsumer.Move;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;

/** What the container tests say of repeated deliveries, with deliveries repeated on purpose. */
class CountingConsumerTest {
  private CountingConsumer counting = new CountingConsumer(Acknowledging.INDIVIDUALLY);
  private boolean connected = true;

  /** Delivers, and returns what the answer to the acknowledgement is given with. */
  @SuppressWarnings("unchecked")
  private CompletableFuture<Void> receive(int number, long entryId) {
    CompletableFuture<Void> receipt = new CompletableFuture<>();
    ClassLoader loader = getClass().getClassLoader();
    Consumer<Integer> consumer =
        (Consumer<Integer>)
            Proxy.newProxyInstance(
                loader,
                new Class<?>[] {Consumer.class},
                (proxy, method, arguments) ->
                    method.getName().equals("isConnected") ? (Object) connected : receipt);
    Message<Integer> message =
        (Message<Integer>)
            Proxy.newProxyInstance(
                loader,
                new Class<?>[] {Message.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getValue")
                        ? (Object) number
                        : new MessageIdImpl(7, entryId, -1));
    counting.received(consumer, message);
    return receipt;
  }

  @Test
  void shouldBookWhatComesAgainAlthoughThereWasAReceipt() {
    receive(0, 0).complete(null);
    receive(1, 1).complete(null);
    Move move = counting.moving();
    receive(1, 1);
    receive(2, 2);

    assertThat(move.redelivered()).isEqualTo(1);
    assertThat(move.oldestNanos()).isNotNegative();
    assertThat(counting.again()).isEqualTo(1);
    assertThat(counting.count()).isEqualTo(3);
    assertThat(counting.receipts()).isEqualTo(2);
  }

  @Test
  void shouldAllowWhatHadNoReceipt() {
    receive(0, 0);
    Move move = counting.moving();
    receive(0, 0);

    assertThat(move.redelivered()).isZero();
    assertThat(counting.again()).isEqualTo(1);
  }

  @Test
  void shouldAllowWhatTheClientAnsweredItselfWithoutAConnection() {
    connected = false;
    receive(0, 0).complete(null);
    Move move = counting.moving();
    receive(0, 0);

    assertThat(move.redelivered()).isZero();
    assertThat(counting.receipts()).isZero();
  }

  @Test
  void shouldBookAReceiptThatWasGivenDuringTheMove() {
    CompletableFuture<Void> receipt = receive(0, 0);
    Move move = counting.moving();
    receipt.complete(null);
    receive(0, 0);

    assertThat(move.redelivered()).isEqualTo(1);
    assertThat(move.oldestNanos()).isNegative();
  }

  @Test
  void shouldCountTheAgeFromTheLastReceipt() {
    receive(0, 0).complete(null);
    Move first = counting.moving();
    receive(0, 0).complete(null);
    Move second = counting.moving();
    receive(0, 0);

    assertThat(second.redelivered()).isEqualTo(1);
    assertThat(second.oldestNanos())
        .as("since the receipt after the first move")
        .isLessThanOrEqualTo(second.atNanos() - first.atNanos());
  }

  @Test
  void shouldNotTakeASecondCopyInTheTopicForARedelivery() {
    receive(0, 0).complete(null);
    Move move = counting.moving();
    receive(0, 5);

    assertThat(move.redelivered()).isZero();
  }

  @Test
  void shouldFindAGap() {
    receive(0, 0);
    receive(2, 2);

    assertThat(counting.outOfOrder()).isEqualTo(1);
    assertThat(counting.count()).isEqualTo(1);
  }

  @Test
  void shouldMissAHoleThatDoesNotComeAgain() {
    counting = new CountingConsumer(Acknowledging.WITH_HOLES);
    for (int number = 0; number <= 2 * CountingConsumer.HOLE_EVERY; number++) {
      receive(number, number).complete(null);
    }
    assertThat(counting.holes()).isEqualTo(3);
    Move move = counting.moving();
    receive(0, 0);
    receive(CountingConsumer.HOLE_EVERY, CountingConsumer.HOLE_EVERY);

    assertThat(move.holesToCome()).isEqualTo(1);
    assertThat(move.redelivered()).as("there was no receipt for it").isZero();
  }

  @Test
  void shouldAcknowledgeItsHolesInTheEnd() {
    counting = new CountingConsumer(Acknowledging.WITH_HOLES);
    CompletableFuture<Void> receipt = receive(0, 0);
    receipt.complete(null);
    assertThat(counting.receipts()).isZero();
    counting.closeHoles();

    assertThat(counting.receipts()).isEqualTo(1);
  }
}
