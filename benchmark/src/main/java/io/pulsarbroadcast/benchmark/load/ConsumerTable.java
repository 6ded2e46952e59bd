/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.Arrays;

/**
 * One row per consumer: its state, permits, and what it has received. A row may only be touched by
 * the event loop of its connection.
 *
 * <p>Which messages a row has received is a bitmap, so that a message that comes late is told from
 * one that comes twice. What a row costs is said by {@link #bytesPerConsumer}.
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

  /** One byte, nine ints and a long in here, and an int in the {@link SubscribePump}. */
  private static final int BYTES_OF_A_ROW = 1 + 10 * Integer.BYTES + Long.BYTES;

  private static final int BYTES_OF_A_LAST_MESSAGE = 2 * Long.BYTES;
  private static final long MAX_BITMAP_WORDS = Integer.MAX_VALUE - 16L;

  final byte[] state;
  final int[] permitsUsed;
  final int[] unacknowledged;
  final int[] duplicates;
  final int[] outOfOrder;
  final long[] firstSubscribeNanos;

  /** From the first subscribe sent to success; -1 before. */
  final int[] connectMicros;

  /** Messages passed over when a later one came; some may still have come out of order. */
  final int[] skipped;

  /** The last message received, for acknowledgements at regular times; empty when not asked for. */
  final long[] lastLedgerId;

  final long[] lastEntryId;

  private final int[] received;
  private final int[] highest;
  private final long[] bitmap;
  private final int wordsPerConsumer;
  private final int messages;

  ConsumerTable(int consumers, int messages) {
    this(consumers, messages, false);
  }

  ConsumerTable(int consumers, int messages, boolean withLastMessage) {
    this.messages = messages;
    this.wordsPerConsumer = (messages + Long.SIZE - 1) / Long.SIZE;
    long words = (long) consumers * wordsPerConsumer;
    if (words > MAX_BITMAP_WORDS) {
      throw new IllegalArgumentException(
          "%d consumers x %d messages are more than the bitmap holds (%d bits)"
              .formatted(consumers, messages, MAX_BITMAP_WORDS * Long.SIZE));
    }
    bitmap = new long[(int) words];
    lastLedgerId = new long[withLastMessage ? consumers : 0];
    lastEntryId = new long[withLastMessage ? consumers : 0];
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
    Arrays.fill(connectMicros, -1);
  }

  /** Heap that one more consumer costs the load generator, apart from its share of a connection. */
  static int bytesPerConsumer(int messages, boolean withLastMessage) {
    int words = (messages + Long.SIZE - 1) / Long.SIZE;
    return BYTES_OF_A_ROW + words * Long.BYTES + (withLastMessage ? BYTES_OF_A_LAST_MESSAGE : 0);
  }

  /** True when a message with this number can be recorded. */
  boolean knows(long sequence) {
    return sequence >= 0 && sequence < messages;
  }

  /** Books one reception; returns true for the first of this message. */
  boolean record(int consumer, int sequence) {
    int word = consumer * wordsPerConsumer + sequence / Long.SIZE;
    long bit = 1L << sequence;
    if ((bitmap[word] & bit) != 0) {
      duplicates[consumer]++;
      return false;
    }
    bitmap[word] |= bit;
    received[consumer]++;
    if (sequence > highest[consumer]) {
      skipped[consumer] += sequence - highest[consumer] - 1;
      highest[consumer] = sequence;
    } else {
      outOfOrder[consumer]++;
    }
    return true;
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
