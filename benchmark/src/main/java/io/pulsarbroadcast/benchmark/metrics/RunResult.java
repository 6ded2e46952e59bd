/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What one run measured. Immutable by convention; any thread may read it.
 *
 * @param name of the series, for example {@code Broadcast}
 * @param delivery what arrived
 * @param endToEndMicros one value per delivery, from the intended send time
 * @param lastReceiverMicros one value per message: when its last consumer had it
 * @param lastReceiverPerMessageMicros the same in the order of messages, warm-up included
 * @param connectMicros one value per consumer
 * @param connectWallMicros until all were subscribed
 * @param timedMessages published messages without those of the warm-up
 * @param brokerCpuMillis CPU time of the broker's process for the timed messages, or -1 if not
 *     known
 * @param generatorCpuMillis CPU time of this process meanwhile
 * @param connectionsLost how often a connection ended that should not have
 * @param brokerVersion as the broker says itself
 * @param firstError the first of all errors, or null
 */
public record RunResult(
    String name,
    DeliveryCounts delivery,
    Histogram endToEndMicros,
    Histogram lastReceiverMicros,
    List<Long> lastReceiverPerMessageMicros,
    Histogram connectMicros,
    long connectWallMicros,
    int timedMessages,
    long brokerCpuMillis,
    long generatorCpuMillis,
    long connectionsLost,
    String brokerVersion,
    String firstError) {
  private static final double MICROS_PER_MILLI = 1_000.0;

  /** Deliveries of the timed messages. */
  public long timedDeliveries() {
    return endToEndMicros.getTotalCount();
  }

  /** CPU time of the broker's process per timed delivery, in microseconds; NaN if not known. */
  public double brokerCpuMicrosPerDelivery() {
    return brokerCpuMillis < 0 ? Double.NaN : perDelivery(brokerCpuMillis);
  }

  /** CPU time of this process per timed delivery, in microseconds; NaN if not known. */
  public double generatorCpuMicrosPerDelivery() {
    return perDelivery(generatorCpuMillis);
  }

  private double perDelivery(long millis) {
    return timedDeliveries() == 0 ? Double.NaN : millis * MICROS_PER_MILLI / timedDeliveries();
  }

  /**
   * Several runs of the same load as one: distributions and counts added up, the longest of the
   * connect times.
   */
  public static RunResult merge(String name, List<RunResult> rounds) {
    RunResult first = rounds.get(0);
    Histogram endToEnd = first.endToEndMicros.copy();
    Histogram lastReceiver = first.lastReceiverMicros.copy();
    Histogram connect = first.connectMicros.copy();
    List<Long> perMessage = new ArrayList<>(first.lastReceiverPerMessageMicros);
    DeliveryCounts delivery = first.delivery;
    long connectWallMicros = first.connectWallMicros;
    int timedMessages = first.timedMessages;
    long brokerCpuMillis = first.brokerCpuMillis;
    long generatorCpuMillis = first.generatorCpuMillis;
    long connectionsLost = first.connectionsLost;
    String firstError = first.firstError;
    for (RunResult round : rounds.subList(1, rounds.size())) {
      endToEnd.add(round.endToEndMicros);
      lastReceiver.add(round.lastReceiverMicros);
      connect.add(round.connectMicros);
      perMessage.addAll(round.lastReceiverPerMessageMicros);
      delivery = delivery.plus(round.delivery);
      connectWallMicros = Math.max(connectWallMicros, round.connectWallMicros);
      timedMessages += round.timedMessages;
      brokerCpuMillis =
          brokerCpuMillis < 0 || round.brokerCpuMillis < 0
              ? -1
              : brokerCpuMillis + round.brokerCpuMillis;
      generatorCpuMillis += round.generatorCpuMillis;
      connectionsLost += round.connectionsLost;
      firstError = firstError == null ? round.firstError : firstError;
    }
    return new RunResult(
        name,
        delivery,
        endToEnd,
        lastReceiver,
        perMessage,
        connect,
        connectWallMicros,
        timedMessages,
        brokerCpuMillis,
        generatorCpuMillis,
        connectionsLost,
        first.brokerVersion,
        firstError);
  }
}
