/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** I1: stored positions are those of one subscription, from its first consumer to its deletion. */
@ExtendWith(BrokerExtension.class)
class PositionsLifeIT {

  @Test
  void shouldKeepPositionsApartOfSubscriptionsWhoseNamesReadTheSameWhenJoined(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    // Joined with a hyphen both are <topic>-x-y.
    String longer = topic + "-x";
    try (Consumer<String> car = broker.atOnce(topic, "x-y", "car").subscribe();
        Consumer<String> other = broker.atOnce(longer, "y", "car").subscribe()) {
      publish(broker, topic, 0, 10);
      publish(broker, longer, 0, 10);
      assertThat(receiveAndAck(car, 4)).isEqualTo(values(0, 4));
      assertThat(receiveAndAck(other, 10)).isEqualTo(values(0, 10));
    }
    broker.admin().topics().unload(longer);
    broker.admin().topics().unload(topic);
    publish(broker, topic, 10, 20);
    publish(broker, longer, 10, 20);
    try (Consumer<String> car = broker.atOnce(topic, "x-y", "car").subscribe();
        Consumer<String> other = broker.atOnce(longer, "y", "car").subscribe()) {
      assertThat(receiveAndAck(car, 16)).as("I1").isEqualTo(values(4, 20));
      assertThat(receiveAndAck(other, 10)).as("I1").isEqualTo(values(10, 20));
      assertNothingMore(car);
      assertNothingMore(other);
    }
  }

  /** The plugin asks the metadata store for namesakes, which has no such names. */
  @ParameterizedTest
  @ValueSource(strings = {"-", "--", "x-", "x--y", "-x", "x-.", "x-..", "x-.-", "x~y-", "a b-"})
  void shouldKeepPositionsOfASubscriptionOfAnyName(String subscription, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.atOnce(topic, subscription, "car").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(0, 2));
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> car = broker.atOnce(topic, subscription, "car").subscribe()) {
      assertThat(receiveAndAck(car, 3)).as("I1").isEqualTo(values(2, 5));
    }
  }

  @Test
  void shouldNotGiveATopicThePositionsOfADeletedOneOfItsName(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> stays = broker.atOnce(topic, "all", "stays").subscribe()) {
      publish(broker, topic, 0, 5);
      broker.atOnce(topic, "all", "away").subscribe().close();
      assertThat(receiveAndAck(stays, 5)).isEqualTo(values(0, 5));
    }
    broker.admin().topics().unload(topic);
    broker.admin().topics().delete(topic);
    broker.admin().topics().createNonPartitionedTopic(topic);
    try (Consumer<String> stays = broker.atOnce(topic, "all", "stays").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(stays, 5)).isEqualTo(values(0, 5));
      awaitBacklog(broker, topic, "all", 0);
      assertThat(Subscriptions.stats(broker, topic, "all").getSubscriptionProperties())
          .containsEntry("pulsar.broadcast.positions.waiting", "0");
    }
  }

  @Test
  void shouldGiveAPositionToAsManyOfANameAsLeft(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leaveTwo(broker, topic);
    publish(broker, topic, 10, 20);
    assertThatBothReturnAndGet(broker, topic, 10);
  }

  @Test
  void shouldGiveAPositionToAsManyOfANameAsLeftWhenTheTopicIsUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    leaveTwo(broker, topic);
    publish(broker, topic, 10, 20);
    broker.admin().topics().unload(topic);
    assertThatBothReturnAndGet(broker, topic, 10);
  }

  private static void leaveTwo(Broker broker, String topic) throws Exception {
    try (Consumer<String> one = broker.atOnce(topic, "all", "twin").subscribe();
        Consumer<String> two = broker.atOnce(topic, "all", "twin").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(one, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(two, 10)).isEqualTo(values(0, 10));
    }
  }

  /** One after the other: the second finds its position when the first has moved on. */
  private static void assertThatBothReturnAndGet(Broker broker, String topic, int from)
      throws Exception {
    try (Consumer<String> one = broker.atOnce(topic, "all", "twin").subscribe()) {
      assertThat(receiveAndAck(one, 10)).isEqualTo(values(from, 20));
      try (Consumer<String> two = broker.atOnce(topic, "all", "twin").subscribe()) {
        assertThat(receiveAndAck(two, 10)).as("I1").isEqualTo(values(from, 20));
        assertNothingMore(two);
        awaitBacklog(broker, topic, "all", 0);
        publish(broker, topic, 20, 21);
        assertThat(receiveAndAck(one, 1)).isEqualTo(values(20, 21));
        assertThat(receiveAndAck(two, 1)).isEqualTo(values(20, 21));
      }
    }
    awaitBacklog(broker, topic, "all", 0);
  }

  @Test
  void shouldCountTheTimeToLiveOverReloads(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.atOnce(topic, "all", "beside").subscribe()) {
      living(broker.atOnce(topic, "all", "away"), 6).subscribe().close();
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      // Reloaded more often than once per time to live.
      await()
          .pollInterval(Duration.ofSeconds(1))
          .untilAsserted(
              () -> {
                broker.admin().topics().unload(topic);
                assertThat(Subscriptions.stats(broker, topic, "all").getMsgBacklog())
                    .as("held by the position whose consumer is gone")
                    .isZero();
              });
      awaitConnected(broker, beside);
    }
  }

  @Test
  void shouldKeepAPositionForTheLongestTimeToLiveUnderItsName(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.atOnce(topic, "all", "beside").subscribe()) {
      try (Consumer<String> patient =
          living(broker.atOnce(topic, "all", "twin"), 3600).subscribe()) {
        living(broker.atOnce(topic, "all", "twin"), 0).subscribe().close();
      }
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      // One that left later is gone: more than the shorter time to live has passed.
      try (Consumer<String> marker = living(broker.atOnce(topic, "all", "marker"), 0).subscribe()) {
        publish(broker, topic, 10, 11);
      }
      assertThat(receiveAndAck(beside, 1)).isEqualTo(values(10, 11));
      awaitBacklog(broker, topic, "all", 11);
      SkippedLog.awaitEntries(broker, topic, 1, "positions exceeded their time to live");
      try (Consumer<String> patient =
          living(broker.atOnce(topic, "all", "twin"), 3600).subscribe()) {
        assertThat(receiveAndAck(patient, 11)).as("I1").isEqualTo(values(0, 11));
      }
    }
  }

  private static ConsumerBuilder<String> living(ConsumerBuilder<String> consumer, int seconds) {
    return consumer.property("pulsar.broadcast.cursor.ttl.seconds", String.valueOf(seconds));
  }
}
