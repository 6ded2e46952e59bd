/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;

/**
 * Acknowledges for the consumers of one connection at regular times ({@link
 * AckPolicy.Kind#CUMULATIVE_TIMED}). Only that connection's event loop may call it.
 *
 * <p>The consumers take turns over the interval, as independent clients would, so that not all of
 * them acknowledge in the same moment.
 */
final class TimedAcks {
  private static final int SLICE_MILLIS = 50;

  private final ConsumerTable table;
  private final CommandWriter writer;
  private final int intervalMillis;
  private final int first;
  private final int end;
  private final int slices;
  private int slice;

  /** For the rows from {@code first} to before {@code end}. */
  TimedAcks(AckPolicy policy, ConsumerTable table, CommandWriter writer, int first, int end) {
    this.table = table;
    this.writer = writer;
    this.intervalMillis = policy.every();
    this.first = first;
    this.end = end;
    this.slices = Math.max(1, Math.min(end - first, intervalMillis / SLICE_MILLIS));
  }

  /** Calls {@code afterTick} whenever there may be something to flush, until the loop ends. */
  void start(EventLoop loop, Runnable afterTick) {
    long sliceMicros = TimeUnit.MILLISECONDS.toMicros(intervalMillis) / slices;
    // Connections do not begin together either.
    long delayMicros = first * 7_919L % sliceMicros;
    loop.scheduleAtFixedRate(
        () -> {
          tick();
          afterTick.run();
        },
        delayMicros,
        sliceMicros,
        TimeUnit.MICROSECONDS);
  }

  /** Acknowledges for the consumers whose turn it is. */
  void tick() {
    int size = end - first;
    int from = first + (int) ((long) size * slice / slices);
    int to = first + (int) ((long) size * (slice + 1) / slices);
    slice = (slice + 1) % slices;
    for (int consumer = from; consumer < to; consumer++) {
      if (table.unacknowledged[consumer] > 0 && table.hasPlace(consumer)) {
        table.unacknowledged[consumer] = 0;
        writer.ack(
            consumer,
            AckType.Cumulative,
            table.lastLedgerId[consumer],
            table.lastEntryId[consumer]);
      }
    }
  }
}
