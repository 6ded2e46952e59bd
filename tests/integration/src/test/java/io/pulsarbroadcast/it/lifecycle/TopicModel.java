/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.pulsar.client.api.MessageId;

/** What has been published to a topic, and its one subscription. */
final class TopicModel {

  /** A message; a batch is several that share an entry. */
  record Published(
      MessageId id, int firstOfEntry, int endOfEntry, boolean delayed, long beganMillis) {}

  final Rules rules;

  final SubscriptionModel subscription = new SubscriptionModel(this);
  final List<Published> messages = new ArrayList<>();

  /** Messages that nobody may be given: of a transaction that is open, or aborted. */
  final BitSet hidden = new BitSet();

  /** Messages of the transaction that is open. */
  final BitSet open = new BitSet();

  /** Counts how often the topic has been made; messages of another one must not come. */
  int incarnation;

  boolean terminated;

  /** Whether the topic has been loaded since it was terminated. */
  boolean loadedTerminated;

  /** Whether there are entries of transactions, which are not told from messages when skipped. */
  boolean hadTransactions;

  /** When the last publish began, a moment after all others had ended; and when it had ended. */
  private long beganMillis;

  private long endedMillis;

  /** What is before this message is not in the ledger that is written to. */
  private int ledgerStart;

  /** What is before this message may have been deleted from storage. */
  private int trimmedBefore;

  TopicModel(Rules rules) {
    this.rules = rules;
  }

  int end() {
    return messages.size();
  }

  /** To be called before messages are published. */
  void beginPublish() {
    beganMillis = nextMillis();
  }

  /** A time later than all that was before. */
  private static long nextMillis() {
    long now = System.currentTimeMillis();
    while (System.currentTimeMillis() == now) {
      Thread.onSpinWait();
    }
    return System.currentTimeMillis();
  }

  /** Adds messages with the ids of one entry each, or of one entry for all. */
  void publish(List<MessageId> ids, boolean batch, boolean delayed) {
    int first = end();
    for (int i = 0; i < ids.size(); i++) {
      int message = first + i;
      messages.add(
          new Published(
              ids.get(i),
              batch ? first : message,
              batch ? first + ids.size() : message + 1,
              delayed,
              beganMillis));
    }
    endedMillis = System.currentTimeMillis();
    subscription.published(first, end());
  }

  void publishInTransaction(List<MessageId> ids) {
    int first = end();
    hadTransactions = true;
    publish(ids, false, false);
    hidden.set(first, end());
    open.set(first, end());
  }

  void endTransaction(boolean commit) {
    if (commit) {
      hidden.andNot(open);
    } else {
      subscription.forget(open);
    }
    open.clear();
  }

  /** What is to be delivered now ends before this message. */
  int deliverableEnd() {
    return open.isEmpty() ? end() : open.nextSetBit(0);
  }

  /** The first message of the entry that stands at thousandths of the topic; the end for 1,000. */
  int at(int place) {
    int message = end() * place / 1000;
    return message >= end() ? end() : messages.get(message).firstOfEntry();
  }

  /** The first message of the publish that stands at thousandths of the topic. */
  int publishAt(int place) {
    int message = at(place);
    if (message == end()) {
      return message;
    }
    long began = messages.get(message).beganMillis();
    while (message > 0 && messages.get(message - 1).beganMillis() == began) {
      message--;
    }
    return message;
  }

  /** When the publish began that a message is the first of; now for the end. */
  long beganMillis(int message) {
    return message == end() ? nextMillis() : messages.get(message).beganMillis();
  }

  /** Whether every message was published more than this long ago. */
  boolean isOlderThan(long millis) {
    return System.currentTimeMillis() > endedMillis + millis;
  }

  /** The end of a number of entries that begin with a message. */
  int afterEntries(int message, int entries) {
    int after = message;
    for (int i = 0; i < entries && after < end(); i++) {
      after = messages.get(after).endOfEntry();
    }
    return after;
  }

  /**
   * Whether stock Pulsar finds every time: in a topic that is loaded after its end its search may
   * read beyond that, and fails.
   */
  boolean isTimeFound() {
    return !loadedTerminated;
  }

  /** How many entries have messages of these before a message. */
  int entries(BitSet of, int end) {
    int entries = 0;
    for (int i = of.nextSetBit(0);
        i >= 0 && i < end;
        i = of.nextSetBit(messages.get(i).endOfEntry())) {
      entries++;
    }
    return entries;
  }

  /** A position that begins with a message, as far as it is still stored. */
  Position from(int message) {
    return withoutAborted(Position.from(message, Math.max(message, surelyStored()), end()));
  }

  Position withoutAborted(Position position) {
    BitSet aborted = (BitSet) hidden.clone();
    aborted.andNot(open);
    position.must.andNot(aborted);
    position.may.andNot(aborted);
    return position;
  }

  /** From this message on everything is on storage. */
  int surelyStored() {
    return rules.retained || !subscription.exists()
        ? trimmedBefore
        : Math.max(trimmedBefore, subscription.floorAtMost());
  }

  /**
   * What is before this message may be deleted, when the subscription's position has reached one.
   */
  int deletableBefore(int floor) {
    return rules.retained ? 0 : Math.min(floor, ledgerStart);
  }

  /** It has been loaded again. */
  void loaded() {
    ledgerStart = end();
    loadedTerminated = terminated;
    if (!subscription.exists()) {
      heldByNobody();
    }
  }

  boolean isTrimmed(int message) {
    return message < trimmedBefore;
  }

  /** Whether a message that was published may not be there any more. */
  boolean isPerhapsTrimmed() {
    return !rules.retained || trimmedBefore > 0;
  }

  void truncated() {
    ledgerStart = end();
    trimmedBefore = end();
  }

  /** There is no subscription that holds anything. */
  void heldByNobody() {
    if (!rules.retained) {
      trimmedBefore = end();
    }
  }

  void deleted() {
    incarnation++;
    messages.clear();
    hidden.clear();
    open.clear();
    terminated = false;
    loadedTerminated = false;
    hadTransactions = false;
    ledgerStart = 0;
    trimmedBefore = 0;
    subscription.deleted();
  }
}
