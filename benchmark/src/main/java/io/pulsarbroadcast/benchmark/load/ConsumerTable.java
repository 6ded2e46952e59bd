/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.Arrays;

/**
 * One row per consumer: its state, permits, and what it has received. A row may only be touched by
 * the event loop of its connection.
 *
 * <p>Which messages a row has received is a bitmap, so that a message that comes late is told from
 * one that comes twice. What a row costs is said by {@link #bytesPerConsumer}.
 *
 * <p>Order is that of the places in the topic, and it begins anew with each subscribe: a consumer
 * may go back then, and everything that follows has to come one after the other, whether it comes
 * for the first time or again. A lower sequence number at a later place is not out of order: the
 * producer sent the message again, and the topic has it twice.
 */
final class ConsumerTable {
  /** A row waits to be subscribed. */
  static final byte PENDING = 0;

  /** A subscribe is on its way. */
  static final byte SUBSCRIBING = 1;

  static final byte SUBSCRIBED = 2;

  /** Refused for good. */
  static final byte FAILED = 3;

  /** An unsubscribe is on its way, or done. */
  static final byte LEAVING = 4;

  /** The route of a consumer is being looked up. */
  static final byte LOOKING_UP = 5;

  /** One byte, ten ints and three longs in here, and an int in the {@link SubscribePump}. */
  private static final int BYTES_OF_A_ROW = 1 + 11 * Integer.BYTES + 3 * Long.BYTES;

  /** Nothing was received since the consumer subscribed. */
  private static final long NOTHING = -1;

  private static final long MAX_BITMAP_WORDS = Integer.MAX_VALUE - 16L;

  final byte[] state;
  final int[] permitsUsed;
  final int[] unacknowledged;
  final int[] duplicates;

  /** Messages received after one that is further on in the topic. */
  final int[] outOfOrder;

  final long[] firstSubscribeNanos;

  /** From the first subscribe sent to success; -1 before. */
  final int[] connectMicros;

  /** Messages passed over when a later one came; some may still have come out of order. */
  final int[] skipped;

  /** The place furthest on in the topic that was received since the consumer subscribed. */
  final long[] lastLedgerId;

  final long[] lastEntryId;

  private final int[] received;
  private final int[] highest;

  /** The message at the last place. */
  private final int[] lastSequence;

  private final long[] bitmap;
  private final int wordsPerConsumer;
  private final int messages;
  private final boolean redeliversAll;

  /**
   * Makes a table of consumers that are not subscribed yet.
   *
   * @param redeliversAll whether a consumer that comes back gets everything again from some place
   *     on; not so with individual acknowledgements, of which the broker knows each
   */
  ConsumerTable(int consumers, int messages, boolean redeliversAll) {
    this.messages = messages;
    this.redeliversAll = redeliversAll;
    this.wordsPerConsumer = (messages + Long.SIZE - 1) / Long.SIZE;
    long words = (long) consumers * wordsPerConsumer;
    if (words > MAX_BITMAP_WORDS) {
      throw new IllegalArgumentException(
          "%d consumers x %d messages are more than the bitmap holds (%d bits)"
              .formatted(consumers, messages, MAX_BITMAP_WORDS * Long.SIZE));
    }
    bitmap = new long[(int) words];
    lastLedgerId = new long[consumers];
    lastEntryId = new long[consumers];
    lastSequence = new int[consumers];
    state = new byte[consumers];
    permitsUsed = new int[consumers];
    unacknowledged = new int[consumers];
    received = new int[consumers];
    duplicates = new int[consumers];
    outOfOrder = new int[consumers];
    skipped = new int[consumers];
    highest = new int[consumers];
    firstSubscribeNanos = new long[consumers];
    connectMicros = new int[consumers];
    Arrays.fill(highest, -1);
    Arrays.fill(lastLedgerId, NOTHING);
    Arrays.fill(connectMicros, -1);
  }

  /** Heap that one more consumer costs the load generator, apart from its share of a connection. */
  static int bytesPerConsumer(int messages) {
    int words = (messages + Long.SIZE - 1) / Long.SIZE;
    return BYTES_OF_A_ROW + words * Long.BYTES;
  }

  /** True when a message with this number can be recorded. */
  boolean knows(long sequence) {
    return sequence >= 0 && sequence < messages;
  }

  /** The consumer subscribes, for the first time or again: what comes next may be further back. */
  void subscribing(int consumer) {
    state[consumer] = SUBSCRIBING;
    permitsUsed[consumer] = 0;
    unacknowledged[consumer] = 0;
    lastLedgerId[consumer] = NOTHING;
  }

  /**
   * Books one reception, from this place in the topic; returns true for the first of this message.
   */
  boolean record(int consumer, int sequence, long ledgerId, long entryId) {
    checkOrder(consumer, sequence, ledgerId, entryId);
    highest[consumer] = Math.max(highest[consumer], sequence);
    int word = consumer * wordsPerConsumer + sequence / Long.SIZE;
    long bit = 1L << sequence;
    if ((bitmap[word] & bit) != 0) {
      duplicates[consumer]++;
      return false;
    }
    bitmap[word] |= bit;
    received[consumer]++;
    return true;
  }

  private void checkOrder(int consumer, int sequence, long ledgerId, long entryId) {
    long lastLedger = lastLedgerId[consumer];
    long lastEntry = lastEntryId[consumer];
    if (ledgerId < lastLedger || (ledgerId == lastLedger && entryId < lastEntry)) {
      outOfOrder[consumer]++;
      return;
    }
    int previous = lastLedger == NOTHING ? highest[consumer] : lastSequence[consumer];
    if (sequence > previous + 1) {
      skipped[consumer] += passedOver(consumer, previous + 1, sequence);
    }
    lastLedgerId[consumer] = ledgerId;
    lastEntryId[consumer] = entryId;
    lastSequence[consumer] = sequence;
  }

  /** How many of the messages from the one to before the other should have come in between. */
  private int passedOver(int consumer, int from, int to) {
    int count = to - from;
    for (int message = from; message < to && !redeliversAll; message++) {
      count -= hasReceived(consumer, message) ? 1 : 0;
    }
    return count;
  }

  /** How often something came that was not what had to come next. */
  int disorder(int consumer) {
    return outOfOrder[consumer] + skipped[consumer];
  }

  /** Whether the consumer is subscribed, and has received an intact message since. */
  boolean hasPlace(int consumer) {
    return state[consumer] == SUBSCRIBED && lastLedgerId[consumer] != NOTHING;
  }

  /** How many different messages this consumer has received. */
  int received(int consumer) {
    return received[consumer];
  }

  boolean hasReceived(int consumer, int sequence) {
    return (bitmap[consumer * wordsPerConsumer + sequence / Long.SIZE] & (1L << sequence)) != 0;
  }

  int size() {
    return state.length;
  }
}
