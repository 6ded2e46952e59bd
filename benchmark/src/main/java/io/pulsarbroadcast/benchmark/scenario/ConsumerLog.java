/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.load.DeliveryListener;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * What each consumer of a fleet has received, message by message. The fleet's event loops write;
 * {@link #lowest()} may be called from any thread, everything else only after {@code
 * ConsumerFleet.snapshot()}, which makes visible what the event loops wrote.
 */
public class ConsumerLog implements DeliveryListener {
  private final BitSet[] received;
  private final int[] duplicates;
  private final int[] outOfOrder;
  private final AtomicIntegerArray highest;

  /** True from when on messages are acknowledged. */
  private volatile boolean acknowledging;

  public ConsumerLog(int consumers, boolean acknowledging) {
    this.acknowledging = acknowledging;
    received = new BitSet[consumers];
    duplicates = new int[consumers];
    outOfOrder = new int[consumers];
    highest = new AtomicIntegerArray(consumers);
    for (int i = 0; i < consumers; i++) {
      received[i] = new BitSet();
      highest.set(i, -1);
    }
  }

  @Override
  public boolean received(int consumer, Received message) {
    int sequence = message.sequence();
    if (!message.first()) {
      duplicates[consumer]++;
    } else {
      received[consumer].set(sequence);
      if (sequence > highest.get(consumer)) {
        highest.lazySet(consumer, sequence);
      }
    }
    return acknowledging;
  }

  @Override
  public void disordered(int consumer) {
    outOfOrder[consumer]++;
  }

  /** From now on, messages are acknowledged; a cumulative one covers those before, too. */
  void startAcknowledging() {
    acknowledging = true;
  }

  int consumers() {
    return received.length;
  }

  /** The highest message of the consumer that is least far, or -1. */
  public int lowest() {
    return consumerNumbers().map(highest::get).min().orElse(-1);
  }

  private IntStream consumerNumbers() {
    return IntStream.range(0, consumers());
  }

  /** How many of the expected messages one consumer lacks. */
  int missing(int consumer, BitSet expected) {
    BitSet lacking = (BitSet) expected.clone();
    lacking.andNot(received[consumer]);
    return lacking.cardinality();
  }

  /** The same, summed over consumers. */
  public long missing(BitSet expected) {
    return consumerNumbers().mapToLong(consumer -> missing(consumer, expected)).sum();
  }

  public long duplicates() {
    return IntStream.of(duplicates).asLongStream().sum();
  }

  public long outOfOrder() {
    return IntStream.of(outOfOrder).asLongStream().sum();
  }

  /** One line per consumer; of a group, for example the good ones. */
  public void addTo(ResultTable table, String group, BitSet expected) {
    for (int i = 0; i < received.length; i++) {
      table.row(
          group, i, expected.cardinality(), missing(i, expected), duplicates[i], outOfOrder[i]);
    }
  }

  public static ResultTable table() {
    return new ResultTable(
        "group", "consumer", "expected", "missing", "duplicates", "out of order");
  }

  /** That nobody lacks a message, and that order held for everybody, in redeliveries too. */
  public List<Check> checks(String who, BitSet expected) {
    long missing = missing(expected);
    return List.of(
        Check.counted(
            "I1: " + who + " received every message",
            missing == 0,
            "%,d of %,d deliveries missing",
            missing,
            (long) expected.cardinality() * received.length),
        Check.counted(
            "I2: " + who + " received them in order",
            outOfOrder() == 0,
            "%,d out of order",
            outOfOrder()));
  }
}
