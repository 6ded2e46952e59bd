/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.RawConnection.FIRST;
import static io.pulsarbroadcast.it.RawConnection.TIMEOUT;
import static io.pulsarbroadcast.it.RawConnection.isDone;
import static io.pulsarbroadcast.it.Subscriptions.assertDeletedBeforeTheNextWasMade;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Unsubscribes as the protocol allows and the stock Java client does not send them: by hand, on
 * that client's own connection.
 */
@ExtendWith(BrokerExtension.class)
@Order(1)
class RawUnsubscribeIT {

  /** The positions go with those who leave, and the subscription with the last. */
  @Test
  @Tag("complete")
  void shouldEndWhenTheLastTwoLeaveAtOnce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 1);
    try (PulsarClient one = broker.newClient();
        PulsarClient other = broker.newClient()) {
      List<RawConnection> leaving =
          List.of(new RawConnection(broker, one), new RawConnection(broker, other));
      int rounds = 0;
      for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 2; i++) {
          RawConnection connection = leaving.get(i);
          long id = FIRST + i;
          // A client tries again while storage is slow.
          await()
              .untilAsserted(
                  () ->
                      assertThat(connection.subscribe(id, topic, "last-" + id))
                          .succeedsWithin(TIMEOUT));
        }
        List<CompletableFuture<?>> left = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          left.add(leaving.get(i).unsubscribe(FIRST + i));
        }
        if (isDiskTooSlow(left)) {
          continue;
        }
        rounds++;
        for (CompletableFuture<?> each : left) {
          assertThat(each).as("round %d", round).succeedsWithin(TIMEOUT);
        }
        assertThat(broker.admin().topics().getSubscriptions(topic)).as("round %d", round).isEmpty();
      }
      assertThat(rounds).as("in which the disk did not stand still").isGreaterThan(20);
    }
    assertDeletedBeforeTheNextWasMade(broker, topic);
  }

  /**
   * Whether somebody could not leave because the metadata store, RocksDB, waits no longer than a
   * second for another write. Who could not leave does so in the next round.
   */
  private static boolean isDiskTooSlow(List<CompletableFuture<?>> left) {
    return left.stream()
        .map(
            each ->
                each.handle((done, e) -> String.valueOf(e))
                    .orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                    .join())
        .anyMatch(failure -> failure.contains("LockTimeout"));
  }

  /** The broker would move the subscription. */
  @Test
  void shouldMoveNobodyByTheSeekOfAConsumerThatIsLeaving(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    MessageIdImpl first = (MessageIdImpl) publish(broker, topic, 0, 10).get(0);
    try (Consumer<String> other = broker.broadcast(topic, "all", "other").subscribe();
        PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      publish(broker, topic, 10, 20);
      assertThat(receiveAndAck(other, 10)).isEqualTo(values(10, 20));
      for (int round = 0; round < 20; round++) {
        raw.subscribe(FIRST, topic, "last-" + FIRST).get();
        CompletableFuture<?> left = raw.unsubscribe(FIRST);
        CompletableFuture<?> again = raw.unsubscribe(FIRST);
        CompletableFuture<?> sought = raw.seek(FIRST, first);
        assertThat(left).succeedsWithin(TIMEOUT);
        assertThat(isDone(again)).as("answered").succeedsWithin(TIMEOUT);
        assertThat(isDone(sought).get()).as("it is leaving").isFalse();
      }
      publish(broker, topic, 20, 21);
      assertThat(receiveAndAck(other, 1)).as("where it was").isEqualTo(values(20, 21));
    }
  }
}
