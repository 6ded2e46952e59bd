/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Notes for which acknowledgements the broker has given a receipt, and finds what comes again
 * although there is one. The fleet's event loops write; any thread may call the rest.
 */
final class UnloadTracker extends RedeliveryLog {
  /** Acknowledged, no receipt yet. */
  private static final int SENT = 1;

  /** A receipt that came when n unloads had begun is this and n. */
  private static final int RECEIPT = 2;

  private final LongAdder receipts = new LongAdder();
  private final LongAdder withoutReceipt = new LongAdder();
  private final LongAdder receiptBefore = new LongAdder();
  private final LongAdder receiptSince = new LongAdder();
  private final AtomicReference<String> firstBroken = new AtomicReference<>();
  private final AtomicInteger unloads = new AtomicInteger();

  UnloadTracker(int consumers, int messages) {
    super(consumers, messages);
  }

  @Override
  int numberNow() {
    return SENT;
  }

  @Override
  void redelivered(int consumer, Copy copy, int state) {
    if (state == SENT) {
      withoutReceipt.increment();
      return;
    }
    (state - RECEIPT < unloads.get() ? receiptBefore : receiptSince).increment();
    firstBroken.compareAndSet(null, copy + " to consumer " + consumer);
  }

  @Override
  public boolean wantsReceipts() {
    return true;
  }

  @Override
  public void receipt(int consumer, int sequence) {
    receipts.increment();
    numbersOfFirst(sequence).lazySet(consumer, RECEIPT + unloads.get());
  }

  /** The next unload begins. */
  void unloading() {
    unloads.incrementAndGet();
  }

  long receipts() {
    return receipts.sum();
  }

  /** Redelivered, and the acknowledgement had no receipt. */
  long redeliveredWithoutReceipt() {
    return withoutReceipt.sum();
  }

  /** Redelivered, though the receipt had come before the last unload began. */
  long redeliveredWithReceiptBefore() {
    return receiptBefore.sum();
  }

  /** Redelivered, though there was a receipt, which came after the last unload had begun. */
  long redeliveredWithReceiptSince() {
    return receiptSince.sum();
  }

  /** The first message that was redelivered in spite of a receipt, or null. */
  String firstBroken() {
    return firstBroken.get();
  }
}
