/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import java.util.List;

/**
 * One run as it stands in the JSON file. Immutable; any thread may call it.
 *
 * @param name of the series
 * @param delivery what arrived
 * @param connectWallMicros until all consumers were subscribed
 * @param connect one value per consumer, from its first subscribe sent to the answer
 * @param endToEnd one value per delivery, from the intended send time
 * @param lastReceiver one value per message: when its last consumer had it
 * @param lastReceiverPerMessageMicros the same in the order of messages, warm-up included
 * @param timedMessages published messages without those of the warm-up
 * @param brokerCpuMillis CPU time of the broker for the timed messages, or -1 if not known
 * @param generatorCpuMillis CPU time of the load generator meanwhile
 * @param connectionsLost how often a connection ended that should not have
 * @param firstError the first of all errors, or null
 */
public record SeriesReport(
    String name,
    DeliveryCounts delivery,
    long connectWallMicros,
    LatencyReport connect,
    LatencyReport endToEnd,
    LatencyReport lastReceiver,
    List<Long> lastReceiverPerMessageMicros,
    int timedMessages,
    long brokerCpuMillis,
    long generatorCpuMillis,
    long connectionsLost,
    String firstError) {

  public static SeriesReport of(RunResult result) {
    return new SeriesReport(
        result.name(),
        result.delivery(),
        result.connectWallMicros(),
        LatencyReport.of(result.connectMicros()),
        LatencyReport.of(result.endToEndMicros()),
        LatencyReport.of(result.lastReceiverMicros()),
        result.lastReceiverPerMessageMicros(),
        result.timedMessages(),
        result.brokerCpuMillis(),
        result.generatorCpuMillis(),
        result.connectionsLost(),
        result.firstError());
  }
}
