/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.SharedTimer;
import io.pulsarbroadcast.it.lifecycle.Operation.Mistake;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.api.SubscriptionType;

/** The stock clients that run one sequence after the other. One thread's at a time. */
final class Clients implements AutoCloseable {

  private static final String TYPE = "pulsar.subscription.type";
  private static final String TIME_TO_LIVE = "pulsar.broadcast.cursor.ttl.seconds";

  /** The two topics' subscriptions; the second topic's name is the first's and an {@code -x}. */
  private static final List<String> SUBSCRIPTIONS = List.of("x-y", "y");

  private static final int TOO_LONG = 1025;

  private final Broker broker;
  private final List<PulsarClient> clients;
  private final Namespaces namespaces;
  private final SkippedCounts skipped;

  Clients(Broker broker, Namespaces namespaces, SkippedCounts skipped)
      throws PulsarClientException {
    this.broker = broker;
    this.namespaces = namespaces;
    this.skipped = skipped;
    this.clients = List.of(newClient(broker), newClient(broker));
  }

  private static PulsarClient newClient(Broker broker) throws PulsarClientException {
    return SharedTimer.build(
        PulsarClient.builder()
            .serviceUrl(broker.process().serviceUrl())
            .enableTransaction(true)
            // Stock Pulsar may wait half a minute for a reader of its transaction buffers'
            // snapshots.
            .operationTimeout(60, TimeUnit.SECONDS)
            .ioThreads(1)
            .listenerThreads(1));
  }

  /** How a topic's subscription is observed. */
  Observation observation(String topic, int number, long patienceMillis) {
    return new Observation(skipped, broker.admin(), topic, subscription(number), patienceMillis);
  }

  PulsarAdmin admin() {
    return broker.admin();
  }

  /** The client of a slot, of one of two halves. */
  PulsarClient client(int slot) {
    return clients.get(slot % clients.size());
  }

  List<String> newTopics(Rules rules) {
    String topic = namespaces.newTopic(rules);
    return List.of(topic, topic + "-x");
  }

  static String subscription(int topic) {
    return SUBSCRIPTIONS.get(topic);
  }

  ConsumerBuilder<String> plain(int slot, String topic, int number) {
    return client(slot)
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName(subscription(number))
        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
        .isAckReceiptEnabled(true)
        .negativeAckRedeliveryDelay(0, TimeUnit.MILLISECONDS)
        .startMessageIdInclusive();
  }

  ConsumerBuilder<String> plain(Operation.SubscribePlain operation, String topic) {
    return plain(operation.slot(), topic, operation.topic())
        .subscriptionType(operation.type())
        .subscriptionInitialPosition(initial(operation.earliest()));
  }

  ConsumerBuilder<String> broadcast(Operation.Subscribe operation, String topic) {
    ConsumerBuilder<String> consumer =
        plain(operation.slot(), topic, operation.topic())
            .property(TYPE, "Broadcast")
            .consumerName(operation.name())
            .subscriptionType(
                operation.ordered() ? SubscriptionType.Exclusive : SubscriptionType.Shared)
            .subscriptionInitialPosition(initial(operation.earliest()))
            .subscriptionMode(
                operation.durable() ? SubscriptionMode.Durable : SubscriptionMode.NonDurable)
            .receiverQueueSize(operation.receiverQueue());
    return operation.name().equals(Sequence.BRIEF)
        ? consumer.property(TIME_TO_LIVE, "0")
        : consumer;
  }

  /** A consumer that subscribes as a reader does. */
  ConsumerBuilder<String> reader(String topic, int number) {
    return plain(0, topic, number).subscriptionMode(SubscriptionMode.NonDurable);
  }

  /** A Broadcast subscribe that must be refused. */
  ConsumerBuilder<String> mistaken(Mistake mistake, String topic, int number) {
    ConsumerBuilder<String> consumer =
        plain(0, topic, number).property(TYPE, "Broadcast").consumerName("one");
    return switch (mistake) {
      case UNKNOWN_TYPE -> consumer.property(TYPE, "Multicast");
      case FAILOVER -> consumer.subscriptionType(SubscriptionType.Failover);
      case KEY_SHARED -> consumer.subscriptionType(SubscriptionType.Key_Shared);
      case TIME_TO_LIVE -> consumer.property(TIME_TO_LIVE, "soon");
      case READ_COMPACTED -> consumer.readCompacted(true);
      case LONG_NAME -> consumer.consumerName("n".repeat(TOO_LONG));
      case LONG_SUBSCRIPTION -> consumer.subscriptionName("n".repeat(TOO_LONG));
      case CONTROL_CHARACTER -> consumer.consumerName("one\n");
      case NOT_PERSISTENT ->
          plain(0, topic.replace("persistent://", "non-persistent://"), number)
              .property(TYPE, "Broadcast");
    };
  }

  private static SubscriptionInitialPosition initial(boolean earliest) {
    return earliest ? SubscriptionInitialPosition.Earliest : SubscriptionInitialPosition.Latest;
  }

  @Override
  public void close() throws PulsarClientException {
    for (PulsarClient client : clients) {
      client.shutdown();
    }
  }
}
