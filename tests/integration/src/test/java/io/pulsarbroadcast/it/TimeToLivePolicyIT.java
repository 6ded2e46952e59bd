/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A position's time to live as topic or namespace say, of consumers that ask for none. Side by
 * side, because one of the tests takes a minute.
 */
@ExtendWith(OperatedBroker.class)
@Execution(ExecutionMode.CONCURRENT)
@Order(1)
class TimeToLivePolicyIT {

  private static final String KEY = "pulsar.broadcast.cursor.ttl.seconds";

  @Test
  void shouldFollowTheTopicBeforeItsNamespace(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setProperty(namespace, KEY, "0");
    String longer = OperatedBroker.topicIn(namespace);
    broker.admin().topics().createNonPartitionedTopic(longer, Map.of(KEY, "3600"));
    String other = OperatedBroker.topicIn(namespace);
    leavePosition(broker, longer);
    leavePosition(broker, other);
    awaitWaiting(broker, other, "0");
    assertThat(waiting(broker, longer)).isEqualTo("1");

    broker.admin().topics().unload(longer);
    leavePosition(broker, other);
    awaitWaiting(broker, other, "0");
    assertThat(waiting(broker, longer)).as("loaded again").isEqualTo("1");
  }

  @Test
  void shouldFollowThePartitionedTopicBeforeTheNamespace(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setProperty(namespace, KEY, "0");
    String topic = OperatedBroker.topicIn(namespace);
    broker.admin().topics().createPartitionedTopic(topic, 1, Map.of(KEY, "3600"));
    String partition = topic + "-partition-0";
    String other = OperatedBroker.topicIn(namespace);
    leavePosition(broker, topic);
    leavePosition(broker, other);
    awaitWaiting(broker, other, "0");
    assertThat(waiting(broker, partition)).isEqualTo("1");
  }

  /** After a minute, in which it may be set again. */
  @Test
  @Tag("complete")
  void shouldFollowAShorterValue(Broker broker) throws Exception {
    String shortened = OperatedBroker.newNamespace(broker);
    String inIt = OperatedBroker.topicIn(shortened);
    leavePosition(broker, inIt);
    broker.admin().namespaces().setProperty(shortened, KEY, "0");
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setProperty(namespace, KEY, "0");
    String topic = OperatedBroker.topicIn(namespace);
    broker.admin().topics().createNonPartitionedTopic(topic, Map.of(KEY, "3600"));
    String partitioned = OperatedBroker.topicIn(namespace);
    broker.admin().topics().createPartitionedTopic(partitioned, 1, Map.of(KEY, "3600"));
    leavePosition(broker, topic);
    leavePosition(broker, partitioned);
    broker.admin().topics().removeProperties(topic, KEY);
    broker.admin().topics().updateProperties(partitioned, Map.of(KEY, "0"));
    awaitWaiting(broker, inIt, "0");
    awaitWaiting(broker, topic, "0");
    awaitWaiting(broker, partitioned + "-partition-0", "0");
  }

  /** I1: nothing is dropped for a mistake. */
  @Test
  void shouldDropNothingForAnInvalidValueAndSaySo(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setProperty(namespace, KEY, "0");
    String topic = OperatedBroker.topicIn(namespace);
    broker.admin().topics().createNonPartitionedTopic(topic, Map.of(KEY, "1 h"));
    String other = OperatedBroker.topicIn(namespace);
    leavePosition(broker, topic);
    leavePosition(broker, other);
    awaitWaiting(broker, other, "0");
    await()
        .until(
            () ->
                broker.logLines("WARN", topic, KEY + "=1 h", "allowed is a whole number").size()
                    == 1);
    assertThat(waiting(broker, topic)).isEqualTo("1");
  }

  private static void leavePosition(Broker broker, String topic) throws Exception {
    broker.broadcast(topic, "all", "car").subscribe().close();
  }

  private static String waiting(Broker broker, String topic) throws Exception {
    return Subscriptions.stats(broker, topic, "all")
        .getSubscriptionProperties()
        .get("pulsar.broadcast.positions.waiting");
  }

  private static void awaitWaiting(Broker broker, String topic, String expected) {
    await()
        .atMost(Duration.ofMinutes(3)) // A shorter time to live holds after one.
        .untilAsserted(() -> assertThat(waiting(broker, topic)).isEqualTo(expected));
  }
}
