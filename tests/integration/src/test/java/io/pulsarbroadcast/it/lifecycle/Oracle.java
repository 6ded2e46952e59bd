/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.lifecycle.TopicModel.Published;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.pulsar.client.api.Message;

/**
 * What must happen, may happen and must not: the rules of docs/contract.md on two topics whose
 * names and subscriptions are alike. Not for several threads.
 */
final class Oracle {

  final List<TopicModel> topics;
  private final Session[] slots = new Session[Sequence.SLOTS];

  Oracle(Rules rules) {
    topics = List.of(new TopicModel(rules), new TopicModel(rules));
  }

  /** The consumer in a slot, or null. */
  Session session(int slot) {
    return slots[slot];
  }

  void connected(Session session) {
    slots[session.slot] = session;
  }

  void gone(Session session) {
    slots[session.slot] = null;
  }

  TopicModel topicOf(Session session) {
    return topics.get(session.topic);
  }

  /** What the n-th message of a topic says. */
  String value(int topic, int message) {
    return "%d/%d/%d".formatted(topic, topics.get(topic).incarnation, message);
  }

  /** How many messages a consumer must be given now. */
  int pending(Session session) {
    return pendingOf(session).cardinality();
  }

  private BitSet pendingOf(Session session) {
    TopicModel topic = topicOf(session);
    BitSet pending = (BitSet) session.position.must.clone();
    pending.andNot(session.received);
    pending.andNot(topic.hidden);
    pending.clear(topic.deliverableEnd(), topic.end());
    return pending;
  }

  String missing(Session session) {
    return "%s misses %s of %d messages; was given %s"
        .formatted(session, pendingOf(session), topicOf(session).end(), session.everReceived);
  }

  /**
   * A consumer was given a message.
   *
   * @param disturbed whether what it was given before may come again, for its connection was lost
   */
  void received(Session session, Message<String> message, boolean disturbed) {
    TopicModel topic = topicOf(session);
    String[] parts = message.getValue().split("/");
    Difference.unless(
        Integer.parseInt(parts[0]) == session.topic
            && Integer.parseInt(parts[1]) == topic.incarnation,
        "%s was given %s of another topic, or one that was deleted; this is topic %d/%d",
        session,
        message.getValue(),
        session.topic,
        topic.incarnation);
    int number = Integer.parseInt(parts[2]);
    Difference.unless(
        !topic.hidden.get(number),
        "%s was given message %d of a transaction that is not committed",
        session,
        number);
    Difference.unless(
        number < topic.deliverableEnd(),
        "%s was given message %d behind message %d of a transaction that is open",
        session,
        number,
        topic.deliverableEnd());
    if (session.broadcast && !disturbed) {
      Difference.unless(
          !session.acknowledged.get(number),
          "%s was given message %d again, which it had acknowledged",
          session,
          number);
      Difference.unless(
          !session.ordered || number >= session.received.length(),
          "%s was given message %d after %d (I2)",
          session,
          number,
          session.received.length() - 1);
    }
    boolean first = !session.everReceived.get(number);
    Difference.unless(
        !first || session.position.allows(number),
        "%s was given message %d, which it had acknowledged or not to get; it must be given %s",
        session,
        number,
        session.position.must);
    Published entry = topic.messages.get(number);
    if (first && session.isInOrder(entry.delayed())) {
      BitSet before = inOrder(session, pendingOf(session));
      before.andNot(session.everReceived);
      before.clear(number, Math.max(number, before.length()));
      Difference.unless(
          before.isEmpty(), "%s was given message %d before %s (I1, I2)", session, number, before);
      int last = inOrder(session, session.everReceived).length() - 1;
      Difference.unless(
          number > last,
          "%s was given message %d for the first time after %d (I2)",
          session,
          number,
          last);
    }
    session.received.set(number);
    session.everReceived.set(number);
    if (number == entry.firstOfEntry() || session.deliveries.containsKey(number)) {
      forgetDeliveries(session, entry);
    }
    session.deliveries.put(number, message);
  }

  private BitSet inOrder(Session session, BitSet messages) {
    List<Published> published = topicOf(session).messages;
    BitSet inOrder = new BitSet();
    messages.stream()
        .filter(number -> session.isInOrder(published.get(number).delayed()))
        .forEach(inOrder::set);
    return inOrder;
  }

  private static void forgetDeliveries(Session session, Published entry) {
    for (int i = entry.firstOfEntry(); i < entry.endOfEntry(); i++) {
      session.deliveries.remove(i);
    }
  }

  /** The entries of which a consumer has all messages, to acknowledge them. */
  List<Published> inHand(Session session) {
    List<Published> inHand = new ArrayList<>();
    TopicModel topic = topicOf(session);
    for (int i = 0; i < topic.end(); i = topic.messages.get(i).endOfEntry()) {
      Published entry = topic.messages.get(i);
      boolean all = true;
      for (int j = i; j < entry.endOfEntry(); j++) {
        all &= session.deliveries.containsKey(j);
      }
      if (all) {
        inHand.add(entry);
      }
    }
    return inHand;
  }

  void acknowledged(Session session, Published entry, boolean cumulative) {
    int from = cumulative ? 0 : entry.firstOfEntry();
    for (int i = from; i < entry.endOfEntry(); i++) {
      session.deliveries.remove(i);
    }
    session.position.clear(from, entry.endOfEntry());
    session.acknowledged.set(from, entry.endOfEntry());
    topicOf(session).subscription.moved();
  }

  void negativelyAcknowledged(Session session, Published entry) {
    if (session.ordered) {
      session.received.clear();
      session.deliveries.clear();
    } else {
      session.received.clear(entry.firstOfEntry(), entry.endOfEntry());
      forgetDeliveries(session, entry);
    }
  }
}
