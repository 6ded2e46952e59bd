/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * I1, I2 and I7 hold whichever threads do the work, and the settings say which do. The two settings
 * do not touch each other, so each value of each is tried once here, on a broker of its own; {@code
 * ExecutorPolicyTest} tries all twelve pairs.
 */
@Tag("complete")
@Order(2)
class ExecutorModesProcessIT {

  private static final int CONNECTIONS = 3;
  private static final int CONSUMERS_PER_CONNECTION = 5;
  private static final int MESSAGES = 100;

  /** So many that two random choices out of them are hardly ever all the same. */
  private static final int ORDERED_THREADS = 64;

  private static final int SUBSCRIPTIONS = 4;
  private static final int CONNECTIONS_PER_SUBSCRIPTION = 2;

  /** A fixed name, which with those of the subscriptions decides what shares an ordered thread. */
  private static final String TRACED_TOPIC = "persistent://public/default/executor-modes";

  private static final Pattern ASKED = Pattern.compile(EntryFilterNar.ASKED + "(\\S+) by (\\S+)");
  private static final Pattern REFUSED =
      Pattern.compile(
          "\\[([^\\[\\]]+)] WARN .*\\["
              + TRACED_TOPIC
              + "].*Ignored an acknowledgement of .* by consumer (\\S+) ");

  /** Which threads were seen at work for a subscription's consumers. */
  private enum Threads {
    /** Those of connections. */
    CONNECTION("connection", "io") {
      @Override
      void check(Map<String, Set<String>> ofSubscriptions) {
        assertThat(all(ofSubscriptions)).allMatch(thread -> thread.startsWith("pulsar-io-"));
      }
    },
    /** Any of the broker's ordered ones. */
    RANDOM("random") {
      @Override
      void check(Map<String, Set<String>> ofSubscriptions) {
        assertOrdered(ofSubscriptions);
        assertThat(ofSubscriptions.values()).anyMatch(threads -> threads.size() > 1);
      }
    },
    /** One for each subscription. */
    SUBSCRIPTION("subscription") {
      @Override
      void check(Map<String, Set<String>> ofSubscriptions) {
        assertOrdered(ofSubscriptions);
        assertThat(ofSubscriptions.values()).allMatch(threads -> threads.size() == 1);
        assertThat(all(ofSubscriptions)).hasSizeGreaterThan(1);
      }
    },
    /** One for all subscriptions of the topic. */
    TOPIC("topic") {
      @Override
      void check(Map<String, Set<String>> ofSubscriptions) {
        assertOrdered(ofSubscriptions);
        assertThat(all(ofSubscriptions)).hasSize(1);
      }
    };

    private final Set<String> settings;

    Threads(String... settings) {
      this.settings = Set.of(settings);
    }

    /** What a value of either setting means. */
    static Threads of(String setting) {
      for (Threads threads : values()) {
        if (threads.settings.contains(setting)) {
          return threads;
        }
      }
      throw new IllegalArgumentException(setting);
    }

    abstract void check(Map<String, Set<String>> ofSubscriptions);

    static void assertOrdered(Map<String, Set<String>> ofSubscriptions) {
      assertThat(all(ofSubscriptions))
          .allMatch(thread -> thread.startsWith("broker-topic-workers"));
    }

    static Set<String> all(Map<String, Set<String>> ofSubscriptions) {
      Set<String> all = new HashSet<>();
      ofSubscriptions.values().forEach(all::addAll);
      return all;
    }
  }

  @TempDir private static Path filters;

  @BeforeAll
  static void writeFilter() throws IOException {
    EntryFilterNar.write(filters, Path.of(System.getProperty("pulsar.home")));
  }

  @ParameterizedTest
  @CsvSource({"connection, io", "subscription, random", "topic, subscription", "connection, topic"})
  void shouldServeEveryConsumerOnTheThreadsThatTheSettingsSay(String dispatch, String acks)
      throws Exception {
    try (Broker broker =
        Broker.start(
            BrokerExtension.newBroker()
                .setting("entryFilterNames", EntryFilterNar.NAME)
                .setting("entryFiltersDirectory", filters.toString())
                .setting("numWorkerThreadsForNonPersistentTopic", "" + ORDERED_THREADS)
                .setting("broadcastDispatchExecutor", dispatch)
                .setting("broadcastAckExecutor", acks))) {
      List<PulsarClient> clients = new ArrayList<>();
      for (int i = 0; i < SUBSCRIPTIONS * CONNECTIONS_PER_SUBSCRIPTION; i++) {
        clients.add(broker.newClient());
      }
      shouldWorkOnTheThreads(broker, clients, Threads.of(dispatch), Threads.of(acks));
      shouldGiveEveryConsumerEverythingInOrder(broker, clients.subList(0, CONNECTIONS));
      shouldRedeliverToOneConsumer(broker);
      closeAll(clients);
    }
  }

  /**
   * The entry filter is asked where messages are handed out, and an acknowledgement that is not
   * taken is logged where it is looked at, the first of each connection.
   */
  private static void shouldWorkOnTheThreads(
      Broker broker, List<PulsarClient> clients, Threads dispatch, Threads acks) throws Exception {
    Map<String, Consumer<String>> consumers = new HashMap<>();
    for (int i = 0; i < SUBSCRIPTIONS; i++) {
      for (int j = 0; j < CONNECTIONS_PER_SUBSCRIPTION; j++) {
        PulsarClient client = clients.get(consumers.size());
        String name = "subscription-" + i + "/" + j;
        consumers.put(
            name, Broker.broadcast(client, TRACED_TOPIC, subscriptionOf(name), name).subscribe());
      }
    }
    try (Producer<String> producer =
        broker.client().newProducer(Schema.STRING).topic(TRACED_TOPIC).create()) {
      producer.newMessage().property("trace", "yes").value("traced").send();
    }
    for (Consumer<String> consumer : consumers.values()) {
      MessageIdImpl id = (MessageIdImpl) receive(consumer, 1).get(0).getMessageId();
      consumer.acknowledge(new MessageIdImpl(id.getLedgerId() + 1_000_000, 0, -1));
    }
    dispatch.check(awaitThreads(broker, ASKED, 1, 2, consumers.keySet()));
    acks.check(awaitThreads(broker, REFUSED, 2, 1, consumers.keySet()));
  }

  private static String subscriptionOf(String consumer) {
    return consumer.substring(0, consumer.indexOf('/'));
  }

  /** The threads at work for each subscription, when there is a line for each consumer. */
  private static Map<String, Set<String>> awaitThreads(
      Broker broker,
      Pattern line,
      int consumerGroup,
      int threadGroup,
      Collection<String> consumers) {
    Map<String, String> threads = new HashMap<>();
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              for (MatchResult found : linesOf(broker, line)) {
                threads.put(found.group(consumerGroup), found.group(threadGroup));
              }
              assertThat(threads).containsOnlyKeys(consumers);
            });
    Map<String, Set<String>> ofSubscriptions = new HashMap<>();
    threads.forEach(
        (consumer, thread) ->
            ofSubscriptions
                .computeIfAbsent(subscriptionOf(consumer), name -> new HashSet<>())
                .add(thread));
    return ofSubscriptions;
  }

  private static List<MatchResult> linesOf(Broker broker, Pattern line) throws IOException {
    return line.matcher(Files.readString(broker.process().logFile())).results().toList();
  }

  private static void shouldGiveEveryConsumerEverythingInOrder(
      Broker broker, List<PulsarClient> clients) throws Exception {
    String topic = Broker.newTopic();
    List<Consumer<String>> consumers = new ArrayList<>();
    for (PulsarClient client : clients) {
      for (int j = 0; j < CONSUMERS_PER_CONNECTION; j++) {
        consumers.add(
            Broker.broadcast(client, topic, "all", "car-" + consumers.size())
                .receiverQueueSize(1 + 10 * j)
                .subscribe());
      }
    }
    publish(broker, topic, 0, MESSAGES);
    for (Consumer<String> consumer : consumers) {
      assertThat(receiveAndAck(consumer, MESSAGES)).as("I1, I2").isEqualTo(values(0, MESSAGES));
    }
    publish(broker, topic, MESSAGES, MESSAGES + 1);
    for (Consumer<String> consumer : consumers) {
      assertThat(receiveAndAck(consumer, 1)).isEqualTo(values(MESSAGES, MESSAGES + 1));
    }
    awaitBacklog(broker, topic, "all", 0);
  }

  /** At the same time, because each takes two seconds. */
  private static void closeAll(List<PulsarClient> clients) {
    clients.stream().map(PulsarClient::closeAsync).toList().forEach(CompletableFuture::join);
  }

  private static void shouldRedeliverToOneConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> ordered = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> unordered =
            broker
                .broadcast(topic, "all", "b")
                .subscriptionType(SubscriptionType.Shared)
                .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
                .subscribe()) {
      publish(broker, topic, 0, 10);
      for (Message<String> message : receive(unordered, 10)) {
        if (message.getValue().equals("message-4")) {
          unordered.negativeAcknowledge(message);
        } else {
          unordered.acknowledge(message);
        }
      }
      assertThat(receiveAndAck(unordered, 1)).containsExactly("message-4");
      receive(ordered, 10);
      ordered.redeliverUnacknowledgedMessages();
      assertThat(receiveAndAck(ordered, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }
}
