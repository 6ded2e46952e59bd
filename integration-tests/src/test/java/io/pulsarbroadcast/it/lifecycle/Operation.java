/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import org.apache.pulsar.client.api.SubscriptionType;

/**
 * One step of a sequence. Whatever there is nothing to do it to (a slot without a consumer, a topic
 * that is terminated) makes of it a step that does nothing, so that any part of a sequence is a
 * sequence too. A {@code pick} is the remainder of a division by how many there are to pick from; a
 * {@code place} is thousandths of a topic.
 */
sealed interface Operation {

  /** A Broadcast subscribe, by consumer property. */
  record Subscribe(
      int slot,
      int topic,
      String name,
      boolean ordered,
      boolean durable,
      boolean earliest,
      int receiverQueue)
      implements Operation {}

  /** A subscribe without the property. */
  record SubscribePlain(int slot, int topic, SubscriptionType type, boolean earliest)
      implements Operation {}

  /** A reader's subscribe under the subscription's name: refused, and changes nothing. */
  record SubscribeReader(int topic) implements Operation {}

  /** A subscribe that is refused whatever there is, and changes nothing. */
  record SubscribeWrongly(int topic, Mistake mistake) implements Operation {}

  /** Receives so many messages, or as many as the consumer must still get. */
  record Receive(int slot, int count) implements Operation {}

  /** Acknowledges one entry that was received. */
  record Acknowledge(int slot, int pick) implements Operation {}

  record AcknowledgeCumulative(int slot, int pick) implements Operation {}

  /** Acknowledges one entry that was received in a transaction: refused, and changes nothing. */
  record AcknowledgeInTransaction(int slot, int pick) implements Operation {}

  record NegativelyAcknowledge(int slot, int pick) implements Operation {}

  record Seek(int slot, int place) implements Operation {}

  record Close(int slot) implements Operation {}

  /** The connection of half of the slots is lost; the client makes another. */
  record LoseConnection(int half) implements Operation {}

  record Unsubscribe(int slot) implements Operation {}

  record Publish(int topic, int count) implements Operation {}

  /** Publishes one batch. */
  record PublishBatch(int topic, int count) implements Operation {}

  record PublishDelayed(int topic, int count) implements Operation {}

  /** Publishes in a transaction that stays open. */
  record PublishInTransaction(int topic, int count) implements Operation {}

  record EndTransaction(int topic, boolean commit) implements Operation {}

  record Unload(int topic) implements Operation {}

  /** Closes the consumers and deletes the topic, after it was unloaded or not. */
  record Delete(int topic, boolean unloaded) implements Operation {}

  /** Makes the subscription, Broadcast by property or plain. */
  record CreateSubscription(int topic, boolean broadcast, boolean earliest) implements Operation {}

  record DeleteSubscription(int topic) implements Operation {}

  record Skip(int topic, int entries) implements Operation {}

  record ClearBacklog(int topic) implements Operation {}

  record ResetCursor(int topic, int place) implements Operation {}

  record ExpireMessages(int topic, int place) implements Operation {}

  record Truncate(int topic) implements Operation {}

  record Terminate(int topic) implements Operation {}

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
