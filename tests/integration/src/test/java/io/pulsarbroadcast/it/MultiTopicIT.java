/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 for consumers of several topics: a position of its own in each. */
@ExtendWith(BrokerExtension.class)
class MultiTopicIT {

  @Test
  void shouldGiveEveryConsumerOfAListEverything(Broker broker) throws Exception {
    List<String> topics = List.of(Broker.newTopic(), Broker.newTopic());
    try (Consumer<String> a = broadcast(broker, "a").topics(topics).subscribe();
        Consumer<String> b = broadcast(broker, "b").topics(topics).subscribe()) {
      publish(broker, topics.get(0), 0, 10);
      publish(broker, topics.get(1), 10, 20);
      assertReceivesAll(a);
      assertReceivesAll(b);
      awaitBacklog(broker, topics.get(0), "all", 0);
      awaitBacklog(broker, topics.get(1), "all", 0);
    }
  }

  @Test
  void shouldGiveEveryConsumerOfAPatternEverything(Broker broker) throws Exception {
    String prefix = Broker.newTopic();
    List<String> topics = List.of(prefix + "-x", prefix + "-y");
    for (String topic : topics) {
      broker.admin().topics().createNonPartitionedTopic(topic);
    }
    try (Consumer<String> a = pattern(broker, "a", prefix).subscribe();
        Consumer<String> b = pattern(broker, "b", prefix).subscribe()) {
      publish(broker, topics.get(0), 0, 10);
      publish(broker, topics.get(1), 10, 20);
      assertReceivesAll(a);
      assertReceivesAll(b);
    }
  }

  @Test
  void shouldGiveEveryConsumerOfAPatternWhatATopicBringsThatComesLater(Broker broker)
      throws Exception {
    String prefix = watchablePrefix();
    broker.admin().topics().createNonPartitionedTopic(prefix + "-x");
    try (Consumer<String> a = pattern(broker, "a", prefix).subscribe();
        Consumer<String> b = pattern(broker, "b", prefix).subscribe()) {
      publish(broker, laterTopic(broker, prefix), 0, 20);
      assertReceivesAll(a);
      assertReceivesAll(b);
    }
  }

  /**
   * With it a pattern has at most 50 characters. A broker lets nobody watch a longer one, and the
   * stock client, which then polls, polled once when this was tried.
   */
  private static String watchablePrefix() {
    String topic = Broker.newTopic();
    return topic.substring(0, topic.lastIndexOf('/') + 9);
  }

  /**
   * A new topic that both consumers have found. The stock client overlooks one that is made while
   * it begins to watch, hence more than one.
   */
  private static String laterTopic(Broker broker, String prefix) throws Exception {
    for (int i = 0; i < 10; i++) {
      String topic = prefix + "-later-" + i;
      broker.admin().topics().createNonPartitionedTopic(topic);
      if (isFoundByBoth(broker, topic)) {
        return topic;
      }
    }
    throw new AssertionError("no new topic was found by both consumers");
  }

  private static boolean isFoundByBoth(Broker broker, String topic) {
    try {
      await()
          .atMost(Duration.ofSeconds(10))
          .ignoreExceptions()
          .until(() -> Subscriptions.stats(broker, topic, "all").getConsumers().size() == 2);
      return true;
    } catch (ConditionTimeoutException e) {
      return false;
    }
  }

  private static ConsumerBuilder<String> pattern(Broker broker, String name, String prefix) {
    return broadcast(broker, name)
        .topicsPattern(Pattern.compile(prefix + "-.*"))
        .patternAutoDiscoveryPeriod(1, TimeUnit.SECONDS)
        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest);
  }

  private static ConsumerBuilder<String> broadcast(Broker broker, String name) {
    return broker
        .client()
        .newConsumer(Schema.STRING)
        .subscriptionName("all")
        .consumerName(name)
        .property("pulsar.subscription.type", "Broadcast");
  }

  private static void assertReceivesAll(Consumer<String> consumer) throws PulsarClientException {
    assertThat(receiveAndAck(consumer, 20)).containsExactlyInAnyOrderElementsOf(values(0, 20));
    assertNothingMore(consumer);
  }
}
