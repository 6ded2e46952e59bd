/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import org.HdrHistogram.Histogram;

/**
 * What happened in one interval of a run. Immutable by convention; any thread may read it.
 *
 * @param seconds its length
 * @param published messages that the broker acknowledged
 * @param errors messages that it did not
 * @param received first receptions, summed over consumers
 * @param backlog what was published but not received at its end, summed over consumers
 * @param publishMicros from sending to the acknowledgement
 * @param publishDelayMicros from when a message was due to when it was sent
 * @param endToEndMicros from when a message was due to its reception
 */
public record Interval(
    double seconds,
    long published,
    long errors,
    long received,
    long backlog,
    Histogram publishMicros,
    Histogram publishDelayMicros,
    Histogram endToEndMicros) {

  /** This one and the next as one. */
  Interval plus(Interval next) {
    return new Interval(
        seconds + next.seconds,
        published + next.published,
        errors + next.errors,
        received + next.received,
        next.backlog,
        Histograms.sum(publishMicros, next.publishMicros),
        Histograms.sum(publishDelayMicros, next.publishDelayMicros),
        Histograms.sum(endToEndMicros, next.endToEndMicros));
  }
}
