/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Messages.valuesOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.PartitionedProducers;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.ProducerBuilder;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.TopicStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Producers that open few partitions, before a Broadcast consumer: I2 for each key. */
@ExtendWith(BrokerExtension.class)
class PartitionedProducersIT {
  private static final int PARTITIONS = 30;
  private static final int LIMIT = 3;
  private static final int MESSAGES = 300;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldOpenOnlyThePartitionsOfMessagesWithoutAKey(boolean batching, Broker broker)
      throws Exception {
    String topic = newTopic(broker, PARTITIONS);
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe();
        Producer<String> producer = limited(broker, topic).enableBatching(batching).create()) {
      assertThat(producers(broker, topic)).as("to be authorized by").hasSize(1);

      values(0, MESSAGES).forEach(producer::sendAsync);
      producer.flush();

      Map<String, Long> published = published(broker, topic);
      assertThat(published).hasSize(LIMIT);
      assertThat(published.values()).containsOnly((long) MESSAGES / LIMIT);
      assertThat(producers(broker, topic)).isEqualTo(published.keySet());
      assertThat(valuesOf(receive(car, MESSAGES)))
          .containsExactlyInAnyOrderElementsOf(values(0, MESSAGES));
      assertNothingMore(car);
    }
  }

  @Test
  void shouldSendEachKeyWhereStockProducersDoAndInOrder(Broker broker) throws Exception {
    String topic = newTopic(broker, PARTITIONS);
    int keys = 50;
    int perKey = 20;
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe();
        Producer<String> stock = broker.client().newProducer(Schema.STRING).topic(topic).create();
        Producer<String> one = limited(broker, topic).create();
        Producer<String> other = limited(broker, topic).create()) {
      List<Producer<String>> producers = List.of(stock, one, other);
      for (int number = 0; number < perKey; number++) {
        for (int key = 0; key < keys; key++) {
          for (int producer = 0; producer < producers.size(); producer++) {
            producers
                .get(producer)
                .newMessage()
                .key("car-" + key)
                .value(producer + " " + number)
                .sendAsync();
          }
        }
      }
      for (Producer<String> producer : producers) {
        producer.flush();
      }

      int expected = keys * perKey * producers.size();
      List<Message<String>> received = receive(car, expected);
      assertThat(received).hasSize(expected);
      assertThat(published(broker, topic).values().stream().mapToLong(n -> n).sum())
          .isEqualTo(expected);
      Map<String, Set<String>> partitions = new HashMap<>();
      Map<String, Integer> next = new HashMap<>();
      for (Message<String> message : received) {
        partitions
            .computeIfAbsent(message.getKey(), key -> new HashSet<>())
            .add(message.getTopicName());
        String[] value = message.getValue().split(" ");
        int number = next.merge(message.getKey() + " of " + value[0], 1, Integer::sum) - 1;
        assertThat(value[1]).as("of %s", message.getKey()).isEqualTo(Integer.toString(number));
      }
      assertThat(partitions).hasSize(keys);
      assertThat(partitions.values()).allSatisfy(found -> assertThat(found).hasSize(1));
    }
  }

  /** Pulsar starts lazily only producers that share the topic; others own all of it. */
  @Test
  void shouldOpenAllPartitionsForAnExclusiveProducer(Broker broker) throws Exception {
    String topic = newTopic(broker, PARTITIONS);
    try (Producer<String> producer =
        limited(broker, topic).accessMode(ProducerAccessMode.Exclusive).create()) {
      assertThat(producers(broker, topic)).hasSize(PARTITIONS);

      values(0, MESSAGES).forEach(producer::sendAsync);
      producer.flush();

      assertThat(published(broker, topic)).hasSize(LIMIT);
    }
  }

  @Test
  void shouldLeaveATopicWithoutPartitionsAsItIs(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe();
        Producer<String> producer = limited(broker, topic).create()) {
      values(0, 10).forEach(producer::sendAsync);
      producer.flush();

      assertThat(valuesOf(receive(car, 10))).isEqualTo(values(0, 10));
    }
  }

  @Test
  void shouldUseAddedPartitionsUpToTheLimit(Broker broker) throws Exception {
    String topic = newTopic(broker, LIMIT - 1);
    try (Producer<String> producer =
        limited(broker, topic).autoUpdatePartitionsInterval(1, TimeUnit.SECONDS).create()) {
      values(0, MESSAGES).forEach(producer::sendAsync);
      producer.flush();
      Set<String> first = producers(broker, topic);
      assertThat(first).hasSize(LIMIT - 1);

      broker.admin().topics().updatePartitionedTopic(topic, PARTITIONS);

      await()
          .untilAsserted(
              () -> {
                for (int i = 0; i < LIMIT; i++) {
                  producer.send("again");
                }
                assertThat(producers(broker, topic)).hasSize(LIMIT).containsAll(first);
              });
      assertThat(published(broker, topic).keySet()).isEqualTo(producers(broker, topic));
    }
  }

  @Test
  void shouldChooseThePartitionsOfEachTopicOfABuilder(Broker broker) throws Exception {
    ProducerBuilder<String> builder = limited(broker, newTopic(broker, PARTITIONS));
    String small = newTopic(broker, LIMIT);
    try (Producer<String> first = builder.create();
        Producer<String> second = builder.clone().topic(small).create()) {
      values(0, MESSAGES).forEach(first::sendAsync);
      values(0, MESSAGES).forEach(second::sendAsync);
      first.flush();
      second.flush();

      assertThat(published(broker, first.getTopic()).values()).hasSize(LIMIT).containsOnly(100L);
      assertThat(published(broker, small).values()).hasSize(LIMIT).containsOnly(100L);
    }
  }

  private static ProducerBuilder<String> limited(Broker broker, String topic) {
    return PartitionedProducers.limitPartitions(broker.client().newProducer(Schema.STRING), LIMIT)
        .topic(topic)
        .enableBatching(false);
  }

  private static String newTopic(Broker broker, int partitions) throws PulsarAdminException {
    String topic = Broker.newTopic();
    broker.admin().topics().createPartitionedTopic(topic, partitions);
    return topic;
  }

  /** The partitions that have a producer. */
  private static Set<String> producers(Broker broker, String topic) throws PulsarAdminException {
    Set<String> found = new HashSet<>();
    stats(broker, topic)
        .forEach(
            (partition, stats) -> {
              assertThat(stats.getPublishers()).as(partition).hasSizeLessThanOrEqualTo(1);
              if (!stats.getPublishers().isEmpty()) {
                found.add(partition);
              }
            });
    return found;
  }

  /** Messages of the partitions that have any. */
  private static Map<String, Long> published(Broker broker, String topic)
      throws PulsarAdminException {
    Map<String, Long> found = new TreeMap<>();
    stats(broker, topic)
        .forEach((partition, stats) -> found.put(partition, stats.getMsgInCounter()));
    found.values().removeIf(messages -> messages == 0);
    return found;
  }

  private static Map<String, ? extends TopicStats> stats(Broker broker, String topic)
      throws PulsarAdminException {
    return broker.admin().topics().getPartitionedStats(topic, true).getPartitions();
  }
}
