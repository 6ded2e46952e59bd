/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.ConsumerBusyException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.TransportCnx;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscribe of a plain consumer on a Broadcast subscription, from when the broker begins to
 * check it to its end. The broker makes a consumer of the Broadcast subscription, which is a
 * stand-in here; what the client gets is a consumer of the plain subscription in its place. May be
 * called from any thread.
 */
final class PlainSubscribe {

  private static final Logger log = LoggerFactory.getLogger(PlainSubscribe.class);

  private final SubscriptionOption option;
  private volatile Consumer consumer;

  private PlainSubscribe(SubscriptionOption option) {
    this.option = option;
  }

  /** Those under way on one topic: one at a time for each id that a client gave a consumer. */
  static final class UnderWay {
    private final Map<Key, PlainSubscribe> byConsumer = new ConcurrentHashMap<>();

    private record Key(TransportCnx connection, long consumerId) {}

    PlainSubscribe begin(SubscriptionOption option) {
      PlainSubscribe begun = new PlainSubscribe(option);
      byConsumer.put(new Key(option.getCnx(), option.getConsumerId()), begun);
      return begun;
    }

    /** The one that a stand-in was made for; null when it did not begin on a Broadcast one. */
    PlainSubscribe of(Consumer standIn) {
      return byConsumer.get(new Key(standIn.cnx(), standIn.consumerId()));
    }

    void end(PlainSubscribe ended) {
      byConsumer.remove(new Key(ended.option.getCnx(), ended.option.getConsumerId()), ended);
    }
  }

  /**
   * Why a Broadcast subscription cannot become plain: somebody has a position there, or is
   * connected. Null when it can.
   *
   * @param inUse whether consumers are connected
   */
  static BrokerServiceException refusal(
      String subscription, CursorRegistry cursors, BooleanSupplier inUse) {
    if (cursors.isVacant() && !inUse.getAsBoolean()) {
      return cursors.isFloorHeld()
          ? new ConsumerBusyException(
              "Subscription "
                  + subscription
                  + " is a Broadcast subscription whose stored positions are lost; clear its backlog, reset or delete"
                  + " it first")
          : null;
    }
    int waiting = cursors.leftBehindCount();
    int connected = cursors.connectedDurableCount();
    int others = cursors.connectedCount() - connected;
    if (waiting + connected + others == 0) {
      // Clients try again by themselves.
      return new SubscriptionFencedException(
          "Subscription "
              + subscription
              + " is a Broadcast subscription whose last positions are being dropped, try again");
    }
    return new ConsumerBusyException(
        ("Subscription %s is a Broadcast subscription in use, with %d durable positions (%d connected, %d waiting)"
                + " and %d non-durable consumers; subscribe with the consumer property %s=%s, or drop the positions"
                + " first: each consumer's with its unsubscribe or its time to live, all of them with pulsar-admin"
                + " topics unsubscribe")
            .formatted(
                subscription,
                connected + waiting,
                connected,
                waiting,
                others,
                BroadcastContract.TYPE_PROPERTY,
                BroadcastContract.BROADCAST));
  }

  /** A plain subscription on the cursor of a Broadcast one, as the subscribe would have made it. */
  PersistentSubscription newSubscription(PersistentTopic topic, PersistentSubscription replaced) {
    return BrokerLine.newSubscription(
        topic,
        replaced.getName(),
        replaced.getCursor(),
        BrokerLine.asksForReplication(option),
        replaced.getSubscriptionProperties());
  }

  /** The consumer that the client is to have. */
  Consumer newConsumer(PersistentSubscription plain) {
    consumer =
        new Consumer(
            plain,
            option.getSubType(),
            plain.getTopicName(),
            option.getConsumerId(),
            option.getPriorityLevel(),
            option.getConsumerName(),
            option.isDurable(),
            option.getCnx(),
            option.getCnx().getAuthRole(),
            option.getMetadata(),
            option.isReadCompacted(),
            option.getKeySharedMeta(),
            option.getStartMessageId(),
            option.getConsumerEpoch(),
            option.getSchemaType());
    return consumer;
  }

  /** The consumer that the client is to have; the stand-in where the broker made the right one. */
  Consumer consumerFor(Consumer standIn) {
    return consumer == null ? standIn : consumer;
  }

  /** The client is not to have a consumer after all. */
  void giveUp(PersistentTopic topic) {
    Consumer made = consumer;
    if (made == null) {
      return;
    }
    consumer = null;
    try {
      // The broker counts the subscribe once, and takes that back itself.
      topic.handleConsumerAdded(option.getSubscriptionName(), option.getConsumerName());
      made.close();
    } catch (BrokerServiceException e) {
      // It had not been added.
      topic.decrementUsageCount();
      log.debug("[{}] Not closed: {}", topic.getName(), made, e);
    }
  }
}
