/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import org.apache.pulsar.client.api.SubscriptionType;

/**
 * One step of a sequence. Whatever there is nothing to do it to (a slot without a consumer, a topic
 * that is terminated) makes of it a step that does nothing, so that any part of a sequence is a
 * sequence too. A {@code pick} is the remainder of a division by how many there are to pick from; a
 * {@code place} is thousandths of a topic; by time it is that of the publish which the place is in.
 */
sealed interface Operation {

  sealed interface OfSubscriber extends Operation {}

  sealed interface OfConsumer extends Operation {
    int slot();
  }

  sealed interface OfPublisher extends Operation {
    int topic();
  }

  /** Of connections too. */
  sealed interface OfTopic extends Operation {}

  sealed interface OfOperator extends Operation {
    int topic();
  }

  /** A Broadcast subscribe, by consumer property. */
  record Subscribe(
      int slot,
      int topic,
      String name,
      boolean ordered,
      boolean durable,
      boolean earliest,
      int receiverQueue)
      implements OfSubscriber {}

  /** A subscribe without the property. */
  record SubscribePlain(int slot, int topic, SubscriptionType type, boolean earliest)
      implements OfSubscriber {}

  /** A reader's subscribe under the subscription's name: refused, and changes nothing. */
  record SubscribeReader(int topic) implements OfSubscriber {}

  /** A subscribe that is refused whatever there is, and changes nothing. */
  record SubscribeWrongly(int topic, Mistake mistake) implements OfSubscriber {}

  /** Receives so many messages, or as many as the consumer must still get. */
  record Receive(int slot, int count) implements OfConsumer {}

  /** Acknowledges one entry that was received. */
  record Acknowledge(int slot, int pick) implements OfConsumer {}

  record AcknowledgeCumulative(int slot, int pick) implements OfConsumer {}

  /** Acknowledges one entry that was received in a transaction: refused, and changes nothing. */
  record AcknowledgeInTransaction(int slot, int pick) implements OfConsumer {}

  record NegativelyAcknowledge(int slot, int pick) implements OfConsumer {}

  record Seek(int slot, int place, boolean byTime) implements OfConsumer {}

  record Close(int slot) implements OfConsumer {}

  /** The connection of half of the slots is lost; the client makes another. */
  record LoseConnection(int half) implements OfTopic {}

  record Unsubscribe(int slot) implements OfConsumer {}

  record Publish(int topic, int count) implements OfPublisher {}

  /** Publishes one batch. */
  record PublishBatch(int topic, int count) implements OfPublisher {}

  record PublishDelayed(int topic, int count) implements OfPublisher {}

  /** Publishes in a transaction that stays open. */
  record PublishInTransaction(int topic, int count) implements OfPublisher {}

  record EndTransaction(int topic, boolean commit) implements OfPublisher {}

  record Unload(int topic) implements OfTopic {}

  /** Closes the consumers and deletes the topic, after it was unloaded or not. */
  record Delete(int topic, boolean unloaded) implements OfTopic {}

  /** Makes the subscription, Broadcast by property or plain. */
  record CreateSubscription(int topic, boolean broadcast, boolean earliest) implements OfOperator {}

  record DeleteSubscription(int topic) implements OfOperator {}

  record Skip(int topic, int entries) implements OfOperator {}

  record ClearBacklog(int topic) implements OfOperator {}

  record ResetCursor(int topic, int place, boolean byTime) implements OfOperator {}

  /** By time everything is expired. */
  record ExpireMessages(int topic, int place, boolean byTime) implements OfOperator {}

  record Truncate(int topic) implements OfTopic {}

  record Terminate(int topic) implements OfTopic {}

  /** Why a subscribe is refused. */
  enum Mistake {
    UNKNOWN_TYPE,
    FAILOVER,
    KEY_SHARED,
    TIME_TO_LIVE,
    READ_COMPACTED,
    LONG_NAME,
    LONG_SUBSCRIPTION,
    CONTROL_CHARACTER,
    NOT_PERSISTENT
  }
}
