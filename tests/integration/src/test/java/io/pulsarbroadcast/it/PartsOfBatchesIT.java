/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publishBatches;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I4 and I8: what is kept of batches that one consumer acknowledges in part is bounded, can be
 * stored, and is no more than the batches have; whatever its client says of them.
 */
@ExtendWith(OperatedBroker.class)
class PartsOfBatchesIT {

  private static final long CONSUMER = 1_000_000;

  /** As many as an acknowledgement may have for one batch. */
  private static final int WORDS = 1_024;

  /** What is kept of one consumer has room for as many. */
  private static final int KEPT = (1 << 20) / (WORDS * Long.BYTES);

  /** In all these are more than a bookie takes in one entry. */
  private static final int BATCHES = 700;

  @Test
  void shouldKeepOfOneConsumerNoMoreThanCanBeStored(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    long[] remaining = new long[WORDS];
    Arrays.fill(remaining, -1);
    remaining[0] = ~0b01;
    acknowledgeParts(broker, topic, BATCHES, remaining);
    await()
        .untilAsserted(
            () ->
                assertThat(
                        Scrape.of(broker.process())
                            .value(
                                "pulsar_broadcast_refused_acks_total",
                                "topic",
                                topic,
                                "subscription",
                                "all"))
                    .as("I6")
                    .isEqualTo(BATCHES - KEPT));
    broker.admin().topics().unload(topic);
    try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
      List<String> sent = values(0, 2 * BATCHES);
      List<String> expected =
          IntStream.range(0, 2 * BATCHES)
              .filter(i -> i >= 2 * KEPT || i % 2 == 1)
              .mapToObj(sent::get)
              .toList();
      assertThat(receiveValues(returned, expected.size())).isEqualTo(expected);
      assertNothingMore(returned);
    }
  }

  @Test
  void shouldBeDoneWithABatchWhateverIsSaidOfMoreThanItHas(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    acknowledgeParts(broker, topic, 3, new long[] {~0b11, -1});
    broker.admin().topics().unload(topic);
    try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
      awaitBacklog(broker, topic, "all", 0);
      assertNothingMore(returned);
    }
  }

  /** Clients leave it out, and never acknowledge it. */
  @Test
  void shouldNotWaitForWhatASeekPassedOverOfABatch(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
        broker
            .broadcast(topic, "all", "car")
            .enableBatchIndexAcknowledgment(true)
            .startMessageIdInclusive()
            .subscribe()) {
      publishBatches(broker, topic, 0, 20, 10);
      consumer.seek(receive(consumer, 20).get(14).getMessageId());
      acknowledgeEach(consumer, 14, 20);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** Else clients that acknowledge whole batches only would wait for what is not sent. */
  @Test
  void shouldSendAllOfABatchAfterASeekIntoIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    ConsumerBuilder<String> builder = broker.broadcast(topic, "all", "car");
    try (Consumer<String> consumer = builder.subscribe()) {
      publishBatches(broker, topic, 0, 20, 10);
      consumer.seek(receive(consumer, 20).get(14).getMessageId());
      // Else it closes its client's connection, on which it may be a namesake of the next.
      awaitConnected(broker, consumer);
    }
    try (Consumer<String> returned = builder.subscribe()) {
      acknowledgeEach(returned, 10, 20);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private static void acknowledgeEach(Consumer<String> consumer, int from, int to)
      throws Exception {
    List<Message<String>> received = receive(consumer, to - from);
    assertThat(received).extracting(Message::getValue).isEqualTo(values(from, to));
    for (Message<String> message : received) {
      consumer.acknowledge(message);
    }
  }

  /** Publishes batches of two messages, and has a consumer say the same of each. */
  private static void acknowledgeParts(Broker broker, String topic, int batches, long[] remaining)
      throws Exception {
    broker.broadcast(topic, "all", "car").subscribe().close();
    try (Consumer<String> beside = broker.broadcast(topic, "beside", "beside").subscribe();
        PulsarClient client = broker.newClient()) {
      publishBatches(broker, topic, 0, 2 * batches, 2);
      List<MessageIdImpl> ids =
          receive(beside, 2 * batches).stream()
              .map(message -> (MessageIdImpl) message.getMessageId())
              .toList();
      RawConnection raw = new RawConnection(broker, client);
      raw.subscribe(CONSUMER, topic, "car").get();
      raw.write(Commands.newFlow(CONSUMER, 2 * batches));
      await()
          .untilAsserted(
              () ->
                  assertThat(stats(broker, topic, "all").getConsumers())
                      .extracting(ConsumerStats::getMsgOutCounter)
                      .containsExactly(2L * batches));
      for (int i = 0; i < ids.size(); i += 2) {
        raw.acknowledgePart(CONSUMER, ids.get(i), remaining);
      }
      // Answered after them.
      raw.subscribe(CONSUMER + 1, topic, "other").get();
    }
  }
}
