/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import java.util.ArrayList;
import java.util.List;

/** The owner of a consumer that wants everything at once, until a test changes that. */
class TestOwner implements ConsumerOwner {

  Verdict verdict = Verdict.ACCEPT;
  long deliverAtMillis;
  int maxUnacknowledgedEntries;
  boolean closed;

  /** The ordinals of what it was told that its consumer was not sent. */
  final List<Long> filtered = new ArrayList<>();

  /** The filters of a subscription, whose consumers' owners say what is filtered. */
  static Verdict filter(ConsumerOwner consumer, BroadcastEntry entry) {
    return ((TestOwner) consumer).verdict;
  }

  @Override
  public void filtered(BroadcastEntry entry, Verdict why) {
    filtered.add(entry.ordinal());
  }

  @Override
  public long deliverAtMillis(BroadcastEntry entry) {
    return deliverAtMillis;
  }

  @Override
  public int maxUnacknowledgedEntries() {
    return maxUnacknowledgedEntries;
  }

  @Override
  public void close() {
    closed = true;
  }
}
