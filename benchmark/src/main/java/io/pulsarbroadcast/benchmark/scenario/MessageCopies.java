/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * One number per stored message and consumer; 0 at first. Any thread may call it.
 *
 * <p>A producer that did not hear of its message being stored sends it again, and then the topic
 * has it twice. The second copy is a message of its own: receiving it is no redelivery.
 */
final class MessageCopies {
  private record Copy(long ledgerId, long entryId, AtomicIntegerArray perConsumer) {
    boolean isAt(long ledger, long entry) {
      return ledgerId == ledger && entryId == entry;
    }
  }

  private record Place(long ledgerId, long entryId) {}

  private final int consumers;
  private final AtomicReferenceArray<Copy> first;
  private final Map<Place, Copy> others = new ConcurrentHashMap<>();

  MessageCopies(int consumers, int messages) {
    this.consumers = consumers;
    this.first = new AtomicReferenceArray<>(messages);
  }

  /** The numbers of the copy at this place. */
  AtomicIntegerArray of(int sequence, long ledgerId, long entryId) {
    Copy copy = first.get(sequence);
    if (copy == null) {
      first.compareAndSet(sequence, null, newCopy(ledgerId, entryId));
      copy = first.get(sequence);
    }
    if (copy.isAt(ledgerId, entryId)) {
      return copy.perConsumer;
    }
    return others.computeIfAbsent(
            new Place(ledgerId, entryId), place -> newCopy(place.ledgerId, place.entryId))
        .perConsumer;
  }

  /** The numbers of the copy that was seen first, or null. */
  AtomicIntegerArray ofFirst(int sequence) {
    Copy copy = first.get(sequence);
    return copy == null ? null : copy.perConsumer;
  }

  /** How many messages the topic has more than once, counted per further copy. */
  int furtherCopies() {
    return others.size();
  }

  int messages() {
    return first.length();
  }

  private Copy newCopy(long ledgerId, long entryId) {
    return new Copy(ledgerId, entryId, new AtomicIntegerArray(consumers));
  }
}
