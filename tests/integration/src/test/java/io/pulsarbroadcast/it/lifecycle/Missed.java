/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.lifecycle.SubscriptionModel.LeftBehind;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * How many entries consumers are made to miss that they have not acknowledged, summed over them:
 * what the broker is to count (I6). At least and at most, because the contract leaves some of it
 * open.
 */
record Missed(long least, long most) {

  /** By a skip of so many entries. */
  static Missed bySkip(SubscriptionModel subscription, int entries) {
    TopicModel topic = subscription.topic;
    int first = subscription.lowest(position -> position.perhapsNext(topic.end()));
    int last = subscription.lowest(position -> position.next(topic.end()));
    return byMove(
        subscription,
        // Entries of transactions are skipped too, whatever they are.
        topic.hadTransactions ? 0 : topic.afterEntries(first, entries),
        topic.afterEntries(last, entries));
  }

  /** By everybody's move to a place between two. */
  static Missed byMove(SubscriptionModel subscription, int atLeast, int atMost) {
    long least = 0;
    long most = 0;
    for (LeftBehind left : subscription.leftBehind().values()) {
      least += left.count * surely(subscription, left.position, atLeast);
      most += left.count * perhaps(subscription, left.position, atMost);
    }
    for (Session session : subscription.sessions()) {
      least += session.durable ? surely(subscription, session.position, atLeast) : 0;
      most += perhaps(subscription, session.position, atMost);
    }
    return between(subscription, least, most);
  }

  /** The same while everybody is disconnected: namesakes then all are at the lowest of them. */
  static Missed byReset(SubscriptionModel subscription, int atLeast, int atMost) {
    Map<String, LeftBehind> names = new HashMap<>();
    subscription.leftBehind().forEach((name, left) -> names.put(name, left.copy()));
    long least =
        names.values().stream()
            .mapToLong(left -> left.count * surely(subscription, left.position, atLeast))
            .sum();
    long most = 0;
    for (Session session : subscription.sessions()) {
      if (session.durable) {
        least += session.isBrief() ? 0 : surely(subscription, session.position, atLeast);
        names
            .computeIfAbsent(session.name, name -> new LeftBehind())
            .add(session.position, subscription.topic.end());
      } else {
        most += perhaps(subscription, session.position, atMost);
      }
    }
    for (LeftBehind left : names.values()) {
      most += left.count * perhaps(subscription, left.position, atMost);
    }
    return between(subscription, least, most);
  }

  /** By the end of what was left behind under a name. */
  static Missed byExpiry(SubscriptionModel subscription, String name) {
    LeftBehind left = subscription.leftBehind().get(name);
    int end = subscription.topic.end();
    return left == null
        ? new Missed(0, 0)
        : between(
            subscription,
            left.count * surely(subscription, left.position, end),
            left.count * perhaps(subscription, left.position, end));
  }

  /** The same, or that many more. */
  Missed orMore(long more) {
    return new Missed(least, most > Long.MAX_VALUE - more ? Long.MAX_VALUE : most + more);
  }

  /** Markers of transactions count, unless somebody has read them already; plain ones do not. */
  private static Missed between(SubscriptionModel subscription, long least, long most) {
    if (!subscription.isBroadcast()) {
      return new Missed(0, Long.MAX_VALUE);
    }
    return new Missed(least, subscription.topic.hadTransactions ? Long.MAX_VALUE : most);
  }

  private static long surely(SubscriptionModel subscription, Position position, int end) {
    BitSet messages = (BitSet) position.must.clone();
    messages.andNot(subscription.topic.hidden);
    return subscription.topic.entries(messages, end);
  }

  private static long perhaps(SubscriptionModel subscription, Position position, int end) {
    BitSet messages = (BitSet) position.must.clone();
    messages.or(position.may);
    return subscription.topic.entries(messages, end);
  }
}
