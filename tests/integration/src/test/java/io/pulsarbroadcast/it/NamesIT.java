/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Names and values from clients are bounded, and forge no line of the broker's log (I8, I9). */
@ExtendWith(BrokerExtension.class)
class NamesIT {

  private static final String TYPE = "pulsar.subscription.type";
  private static final String TIME_TO_LIVE = "pulsar.broadcast.cursor.ttl.seconds";

  /** Where a client can put text of its own, and whether the broker logs that it refused it. */
  private enum Place {
    CONSUMER_NAME(false, 70_000) {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) {
        return broker.broadcast(topic, "all", text);
      }
    },
    SUBSCRIPTION_NAME(false, 70_000) {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) {
        return broker.broadcast(topic, text, "a");
      }
    },
    TYPE_VALUE(false, 70_000) {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) {
        return broker.broadcast(topic, "all", "a").property(TYPE, text);
      }
    },
    TIME_TO_LIVE_VALUE(false, 70_000) {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) {
        return broker.broadcast(topic, "all", "a").property(TIME_TO_LIVE, text);
      }
    },
    CONSUMER_NAME_ON_A_DECLARED_SUBSCRIPTION(true, 70_000) {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) throws Exception {
        return onDeclared(broker, topic).consumerName(text);
      }
    },
    /** The broker takes 1,024 bytes of properties. */
    TIME_TO_LIVE_VALUE_ON_A_DECLARED_SUBSCRIPTION(true, 900) {
      @Override
      ConsumerBuilder<String> put(Broker broker, String topic, String text) throws Exception {
        return onDeclared(broker, topic).consumerName("a").property(TIME_TO_LIVE, text);
      }
    };

    /** That a subscription is declared is only known where the broker logs what fails. */
    private final boolean logged;

    /** So many characters get as far as the plugin, and are too many for it. */
    private final int tooMany;

    Place(boolean logged, int tooMany) {
      this.logged = logged;
      this.tooMany = tooMany;
    }

    abstract ConsumerBuilder<String> put(Broker broker, String topic, String text) throws Exception;

    private static ConsumerBuilder<String> onDeclared(Broker broker, String topic)
        throws Exception {
      broker
          .admin()
          .topics()
          .createSubscription(
              topic, "declared", MessageId.latest, false, Map.of(TYPE, "Broadcast"));
      return broker.client().newConsumer(Schema.STRING).topic(topic).subscriptionName("declared");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotLetAClientForgeALineOfTheLog(Place place, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      for (String lineEnd : new String[] {"\n", "\r\n", "\u0085", "\u2028"}) {
        String forged = newMark();
        ConsumerBuilder<String> forger =
            place.put(broker, Broker.newTopic(), "a" + lineEnd + forged + " [main] ERROR x");
        assertThatThrownBy(forger::subscribe)
            .isInstanceOf(NotAllowedException.class)
            .hasMessageContaining("a" + "?".repeat(lineEnd.length()) + forged);
        assertLines(
            broker,
            place,
            forged,
            line -> line.contains("a" + "?".repeat(lineEnd.length()) + forged));
      }
      assertStillServed(broker, topic, beside);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldBoundWhatAClientSends(Place place, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    String mark = newMark();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      assertThatThrownBy(place.put(broker, topic, mark + "z".repeat(place.tooMany))::subscribe)
          .isInstanceOf(NotAllowedException.class)
          .hasMessageContaining("'" + mark + "zzz")
          .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(600));
      assertLines(broker, place, mark, line -> !line.contains("z".repeat(100)));
      assertStillServed(broker, topic, beside);
    }
  }

  /** What reads for consumers behind has a name of its own, whatever subscriptions are called. */
  @Test
  void shouldLeaveASubscriptionAloneWhateverItIsCalled(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createSubscription(topic, "all-broadcast-catch-up", MessageId.earliest);
    broker.broadcast(topic, "all", "behind").subscribe().close();
    publish(broker, topic, 0, 10);
    try (Consumer<String> tail = broker.broadcast(topic, "all", "tail").subscribe()) {
      publish(broker, topic, 10, 20);
      assertThat(receiveAndAck(tail, 10)).isEqualTo(values(10, 20));
      try (Consumer<String> behind = broker.broadcast(topic, "all", "behind").subscribe()) {
        assertThat(receiveAndAck(behind, 20)).isEqualTo(values(0, 20));
      }
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> other =
        broker
            .client()
            .newConsumer(Schema.STRING)
            .topic(topic)
            .subscriptionName("all-broadcast-catch-up")
            .subscribe()) {
      assertThat(receiveAndAck(other, 20)).isEqualTo(values(0, 20));
    }
  }

  @Test
  void shouldTakeTheLongestNameAllowedAndStoreIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    String longest = "\u00fc\u4e2d".repeat(512);
    // Holds the subscription's position, from where a consumer would start that nobody knows.
    broker.broadcast(topic, "all", "beside").subscribe().close();
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
    String mark = newMark();
    try (Consumer<String> consumer =
        broker.broadcast(topic, "all", mark + "y".repeat(500)).subscribe()) {
      publish(broker.client(), topic, 0, 1);
      Message<String> message = consumer.receive(60, TimeUnit.SECONDS);
      MessageIdImpl id = (MessageIdImpl) message.getMessageId();
      consumer.acknowledge(new MessageIdImpl(id.getLedgerId() + 1_000_000, 0, -1));
      List<String> lines = awaitLinesWith(broker, "by consumer " + mark);
      assertThat(lines).singleElement().asString().contains(mark + "yyy").contains(topic);
      assertThat(lines).allMatch(line -> !line.contains("y".repeat(100)));
    }
  }

  private static void assertStillServed(Broker broker, String topic, Consumer<String> consumer)
      throws Exception {
    publish(broker.client(), topic, 0, 3);
    assertThat(receiveAndAck(consumer, 3)).isEqualTo(values(0, 3));
    Subscriptions.awaitBacklog(broker, topic, "all", 0);
  }

  /** Text that is nowhere in the log yet, and short enough to be quoted. */
  private static String newMark() {
    return "mark-" + UUID.randomUUID() + "-";
  }

  /** What the log has of a refusal, which is written before the client is answered. */
  private static void assertLines(
      Broker broker, Place place, String mark, Predicate<String> isAsItShould) throws IOException {
    if (place.logged) {
      assertThat(awaitLinesWith(broker, mark)).allMatch(isAsItShould);
    } else {
      assertThat(broker.logLines(mark)).as("refused without a line").isEmpty();
    }
  }

  private static List<String> awaitLinesWith(Broker broker, String text) throws IOException {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(broker.logLines(text)).isNotEmpty());
    return broker.logLines(text);
  }
}
