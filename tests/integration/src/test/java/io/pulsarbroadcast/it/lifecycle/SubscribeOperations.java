/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.lifecycle.Operation.Mistake;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionType;

/** Subscribes, or is refused. For one thread. */
final class SubscribeOperations {

  private final TestBed bed;

  SubscribeOperations(TestBed bed) {
    this.bed = bed;
  }

  void apply(Operation.OfSubscriber operation) throws Exception {
    if (operation instanceof Operation.Subscribe subscribe) {
      subscribe(subscribe);
    } else if (operation instanceof Operation.SubscribePlain subscribe) {
      subscribePlain(subscribe);
    } else if (operation instanceof Operation.SubscribeWrongly wrong) {
      subscribeWrongly(wrong.topic(), wrong.mistake());
    } else if (operation instanceof Operation.SubscribeReader reader) {
      subscribeReader(reader.topic());
    } else {
      throw new IllegalArgumentException(operation.toString());
    }
  }

  private void subscribe(Operation.Subscribe operation) throws Exception {
    SubscriptionModel subscription = bed.subscription(operation.topic());
    if (bed.oracle.session(operation.slot()) != null) {
      return;
    }
    ConsumerBuilder<String> consumer =
        bed.clients.broadcast(operation, bed.topic(operation.topic()));
    if (subscription.isPlain() && !subscription.sessions().isEmpty()) {
      refused(consumer, PulsarClientException.ConsumerBusyException.class, "in use");
      return;
    }
    if (isRefused(operation.topic(), operation.durable(), consumer)) {
      return;
    }
    Consumer<String> connected = consumer.subscribe();
    bed.connected(
        subscription.connect(
            operation.slot(),
            operation.topic(),
            operation.name(),
            operation.ordered(),
            operation.durable(),
            operation.earliest()),
        connected);
  }

  private void subscribePlain(Operation.SubscribePlain operation) throws Exception {
    SubscriptionModel subscription = bed.subscription(operation.topic());
    boolean occupied = subscription.isPlain() && !subscription.sessions().isEmpty();
    if (bed.oracle.session(operation.slot()) != null || occupied) {
      return;
    }
    ConsumerBuilder<String> consumer = bed.clients.plain(operation, bed.topic(operation.topic()));
    boolean single =
        operation.type() == SubscriptionType.Exclusive
            || operation.type() == SubscriptionType.Failover;
    if (subscription.isDeclared()) {
      subscribeDeclared(operation, subscription, consumer, single);
    } else if (subscription.isBroadcast() && subscription.hasPositions()) {
      refused(consumer, PulsarClientException.ConsumerBusyException.class, "Broadcast");
    } else if (!isRefused(operation.topic(), true, consumer)) {
      Consumer<String> connected = consumer.subscribe();
      bed.connected(
          subscription.connectPlain(
              operation.slot(), operation.topic(), single, operation.earliest()),
          connected);
    }
  }

  /** On a subscription that an administrator made Broadcast, the wire type is the contract. */
  private void subscribeDeclared(
      Operation.SubscribePlain operation,
      SubscriptionModel subscription,
      ConsumerBuilder<String> consumer,
      boolean ordered)
      throws PulsarClientException {
    if (operation.type() != SubscriptionType.Exclusive
        && operation.type() != SubscriptionType.Shared) {
      refused(consumer, PulsarClientException.NotAllowedException.class, "");
      return;
    }
    consumer.consumerName("undeclared");
    if (isRefused(operation.topic(), true, consumer)) {
      return;
    }
    Consumer<String> connected = consumer.subscribe();
    bed.connected(
        subscription.connect(
            operation.slot(), operation.topic(), "undeclared", ordered, true, operation.earliest()),
        connected);
  }

  private void subscribeWrongly(int topic, Mistake mistake) {
    boolean isFoundFirst = mistake == Mistake.READ_COMPACTED && bed.model(topic).rules.declaredOnly;
    if (isFoundFirst && !bed.subscription(topic).exists()) {
      // It is refused because there is no subscription.
      return;
    }
    refused(
        bed.clients.mistaken(mistake, bed.topic(topic), topic),
        PulsarClientException.NotAllowedException.class,
        "");
  }

  private void subscribeReader(int topic) throws Exception {
    SubscriptionModel subscription = bed.subscription(topic);
    if (!subscription.isBroadcast() || subscription.isDeclared()) {
      return;
    }
    refused(
        bed.clients.reader(bed.topic(topic), topic),
        subscription.hasPositions()
            ? PulsarClientException.ConsumerBusyException.class
            : PulsarClientException.NotAllowedException.class,
        "");
  }

  /** Whether a subscribe has been refused, or is left out, because of the namespace's rules. */
  private boolean isRefused(int topic, boolean durable, ConsumerBuilder<String> consumer) {
    SubscriptionModel subscription = bed.subscription(topic);
    if (durable && subscription.isUndeclared()) {
      refused(consumer, PulsarClientException.class, "Subscription does not exist");
      return true;
    }
    if (subscription.isFull()) {
      refused(
          consumer,
          PulsarClientException.ConsumerBusyException.class,
          "reached max consumers limit");
      return true;
    }
    return false;
  }

  private static void refused(
      ConsumerBuilder<String> consumer,
      Class<? extends PulsarClientException> error,
      String sentence) {
    try {
      consumer.subscribe().close();
    } catch (PulsarClientException e) {
      Difference.unless(
          error.isInstance(e) && e.getMessage().contains(sentence),
          "refused as it should be, but not with %s: %s",
          error.getSimpleName(),
          e);
      return;
    }
    throw new Difference("accepted what should be refused with " + error.getSimpleName());
  }
}
