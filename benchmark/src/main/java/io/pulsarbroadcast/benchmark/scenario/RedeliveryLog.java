/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Keeps one number per stored message and consumer, and finds what a consumer is sent again. Called
 * as its superclass is; any thread may ask for the numbers.
 *
 * <p>A producer that did not hear of its message being stored sends it again, and then the topic
 * has it twice. The second copy is a message of its own: receiving it is no redelivery.
 */
abstract class RedeliveryLog extends ConsumerLog {
  /** A copy of a message, to say where it is. */
  record Copy(int sequence, long ledgerId, long entryId) {
    @Override
    public String toString() {
      return "message %d at %d:%d".formatted(sequence, ledgerId, entryId);
    }
  }

  private record Numbers(Copy copy, AtomicIntegerArray perConsumer) {}

  private final AtomicReferenceArray<Numbers> first;
  private final Map<Copy, Numbers> others = new ConcurrentHashMap<>();

  RedeliveryLog(int consumers, int messages) {
    super(consumers, true);
    this.first = new AtomicReferenceArray<>(messages);
  }

  /** The number of what is received and acknowledged now; not 0. */
  abstract int numberNow();

  /** A consumer has a copy again that it has already had, with this number. */
  abstract void redelivered(int consumer, Copy copy, int number);

  @Override
  public final boolean received(
      int consumer, int sequence, boolean isFirst, long latencyNanos, long ledgerId, long entryId) {
    Copy copy = new Copy(sequence, ledgerId, entryId);
    int now = numberNow();
    int before = numbersOf(copy).getAndSet(consumer, now);
    if (before != 0) {
      redelivered(consumer, copy, before);
    }
    return super.received(consumer, sequence, isFirst, latencyNanos, ledgerId, entryId);
  }

  private AtomicIntegerArray numbersOf(Copy copy) {
    if (first.get(copy.sequence) == null) {
      first.compareAndSet(copy.sequence, null, newNumbers(copy));
    }
    Numbers numbers = first.get(copy.sequence);
    return numbers.copy.equals(copy)
        ? numbers.perConsumer
        : others.computeIfAbsent(copy, this::newNumbers).perConsumer;
  }

  private Numbers newNumbers(Copy copy) {
    return new Numbers(copy, new AtomicIntegerArray(consumers()));
  }

  /** The numbers of the copy that was seen first; all 0 before that. */
  AtomicIntegerArray numbersOfFirst(int sequence) {
    Numbers numbers = first.get(sequence);
    return numbers == null ? new AtomicIntegerArray(0) : numbers.perConsumer;
  }

  /** How many messages the topic has more than once, counted per further copy. */
  int furtherCopies() {
    return others.size();
  }

  int messages() {
    return first.length();
  }
}
