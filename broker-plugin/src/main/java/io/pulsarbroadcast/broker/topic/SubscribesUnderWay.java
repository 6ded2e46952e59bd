/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;

/** The Broadcast subscribes of one topic that are under way. May be called from any thread. */
final class SubscribesUnderWay {

  private final Multiset<String> all = ConcurrentHashMultiset.create();

  /** Those that began when there was no such subscription. */
  private final Multiset<String> toNew = ConcurrentHashMultiset.create();

  /**
   * A subscribe begins.
   *
   * @param isNew whether it makes its subscription, unless another is first
   */
  void begin(String name, boolean isNew) {
    all.add(name);
    if (isNew) {
      toNew.add(name);
    }
  }

  /** The broker has accepted or refused a subscribe that began as one to a new subscription. */
  void madeNew(String name) {
    toNew.remove(name);
  }

  /** Ends what {@link #begin} began. */
  void end(String name) {
    all.remove(name);
  }

  /** Whether somebody is subscribing. */
  boolean isUnderWay(String name) {
    return all.contains(name);
  }

  /** Whether somebody is making a subscription now. */
  boolean isNew(String name) {
    return toNew.contains(name);
  }
}
