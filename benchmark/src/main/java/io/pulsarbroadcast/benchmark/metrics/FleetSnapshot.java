/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What a fleet of consumers has received and measured up to now. Immutable by convention: nobody
 * writes to the histograms any more; any thread may read it.
 *
 * @param consumers how many there are
 * @param subscribed how many of them are subscribed at this moment
 * @param received first receptions, summed over consumers
 * @param duplicates further receptions of the same message by the same consumer
 * @param outOfOrder receptions after a message that is further on in the topic; what is received
 *     again after a subscribe is not, as long as it comes in order
 * @param skipped messages passed over when a later one came, in redeliveries too; those that come
 *     after all are counted as out of order too
 * @param corrupt messages whose checksum or layout is wrong
 * @param unexpected messages of another run
 * @param protocolErrors commands that make no sense, and frames that cannot be read
 * @param connectionsLost how often a connection ended that should not have
 * @param endToEndMicros one value per first reception, without warm-up messages
 * @param lastReceiverMicros per message, the longest latency of any consumer
 * @param receivers per message, how many consumers have received it
 * @param connectMicros per consumer, from its first subscribe sent to the answer
 * @param connectWallMicros from the start of the fleet until all were subscribed; 0 before
 * @param brokerVersion as the broker says itself
 * @param firstError the first error of the protocol, else the first of all, or null
 */
public record FleetSnapshot(
    int consumers,
    int subscribed,
    long received,
    long duplicates,
    long outOfOrder,
    long skipped,
    long corrupt,
    long unexpected,
    long protocolErrors,
    long connectionsLost,
    Histogram endToEndMicros,
    List<Long> lastReceiverMicros,
    List<Integer> receivers,
    Histogram connectMicros,
    long connectWallMicros,
    String brokerVersion,
    String firstError) {
  /** What came that no broker should have sent. */
  public long damaged() {
    return corrupt + unexpected + protocolErrors;
  }

  /** One value per message that any consumer has, from this message on, in microseconds. */
  public Histogram lastReceivers(int from) {
    Histogram last = new Histogram(endToEndMicros);
    for (int i = from; i < receivers.size(); i++) {
      if (receivers.get(i) > 0) {
        last.recordValue(lastReceiverMicros.get(i));
      }
    }
    return last;
  }
}
