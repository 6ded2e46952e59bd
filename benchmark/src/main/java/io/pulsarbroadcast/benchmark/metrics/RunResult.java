/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

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
    String firstError) {}
