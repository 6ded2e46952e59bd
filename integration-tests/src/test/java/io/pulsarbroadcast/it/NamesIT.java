/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Names and values from clients are bounded, and forge no line of the broker's log (I8, I9). */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class NamesIT {

  private static final String FORGED = "FORGED-LINE";
  private static final String TYPE = "pulsar.subscription.type";

  /** Where a client can put text of its own. */
  private enum Place {
    CONSUMER_NAME {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) {
        return broker.broadcast(topic, "all", text);
      }
    },
    SUBSCRIPTION_NAME {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) {
        return broker.broadcast(topic, text, "a");
      }
    },
    TYPE_VALUE {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) {
        return broker.broadcast(topic, "all", "a").property(TYPE, text);
      }
    },
    TIME_TO_LIVE {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) {
        return broker
            .broadcast(topic, "all", "a")
            .property("pulsar.broadcast.cursor.ttl.seconds", text);
      }
    },
    CONSUMER_NAME_ON_A_DECLARED_SUBSCRIPTION {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) throws Exception {
        broker
            .admin()
            .topics()
            .createSubscription(
                topic, "declared", MessageId.latest, false, Map.of(TYPE, "Broadcast"));
        return broker
            .client()
            .newConsumer(Schema.STRING)
            .topic(topic)
            .subscriptionName("declared")
            .consumerName(text);
      }
    };

    abstract ConsumerBuilder<String> put(Broker broker, String topic, String text) throws Exception;
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotLetAClientForgeALineOfTheLog(Place place, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      for (String lineEnd : new String[] {"\n", "\r\n", "\u0085", "\u2028"}) {
        ConsumerBuilder<String> forger =
            place.put(broker, Broker.newTopic(), "a" + lineEnd + FORGED + " [main] ERROR x");
        assertThatThrownBy(forger::subscribe)
            .isInstanceOf(NotAllowedException.class)
            .hasMessageContaining("a?");
      }
      assertStillServed(broker, topic, beside);
      assertThat(logOf(broker).lines()).noneMatch(line -> line.startsWith(FORGED));
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldBoundWhatAClientSends(Place place, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    String tooLong = "long-" + "z".repeat(70_000);
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      assertThatThrownBy(place.put(broker, topic, tooLong)::subscribe)
          .isInstanceOf(NotAllowedException.class)
          .hasMessageContaining("'long-zzz")
          .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(600));
      assertStillServed(broker, topic, beside);
      assertThat(logOf(broker)).doesNotContain("z".repeat(100));
    }
  }

  @Test
  void shouldTakeTheLongestNameAllowedAndStoreIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    String longest = "\u00fc\u4e2d".repeat(512);
    try (Consumer<String> consumer = broker.broadcast(topic, "all", longest).subscribe()) {
      publish(broker.client(), topic, 0, 5);
      assertThat(receiveAndAck(consumer, 2)).isEqualTo(values(0, 2));
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> back = broker.broadcast(topic, "all", longest).subscribe()) {
      assertThat(receiveAndAck(back, 3)).isEqualTo(values(2, 5));
    }
  }

  /** The one line of this plugin that has a consumer's name in it. */
  @Test
  void shouldCutALongNameInTheLog(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    String name = "wrong-" + "y".repeat(500);
    try (Consumer<String> consumer = broker.broadcast(topic, "all", name).subscribe()) {
      publish(broker.client(), topic, 0, 1);
      Message<String> message = consumer.receive(20, TimeUnit.SECONDS);
      MessageIdImpl id = (MessageIdImpl) message.getMessageId();
      consumer.acknowledge(new MessageIdImpl(id.getLedgerId() + 1_000_000, 0, -1));
      await().until(() -> logOf(broker).contains("by consumer wrong-yyy"));
      assertThat(logOf(broker)).doesNotContain("y".repeat(100));
    }
  }

  private static void assertStillServed(Broker broker, String topic, Consumer<String> consumer)
      throws Exception {
    publish(broker.client(), topic, 0, 3);
    assertThat(receiveAndAck(consumer, 3)).isEqualTo(values(0, 3));
    Subscriptions.awaitBacklog(broker, topic, "all", 0);
  }

  private static String logOf(Broker broker) throws java.io.IOException {
    return Files.readString(broker.process().logFile(), StandardCharsets.UTF_8);
  }
}
