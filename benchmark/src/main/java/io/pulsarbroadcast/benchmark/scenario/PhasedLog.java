/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

/** What each consumer received, and how late, in phases. Called as its superclass is. */
final class PhasedLog extends ConsumerLog {
  private final LatencyPhases phases = new LatencyPhases();

  PhasedLog(int consumers) {
    super(consumers, true);
  }

  LatencyPhases phases() {
    return phases;
  }

  @Override
  public boolean received(
      int consumer, int sequence, boolean first, long latencyNanos, long ledgerId, long entryId) {
    if (first) {
      phases.record(sequence, latencyNanos);
    }
    return super.received(consumer, sequence, first, latencyNanos, ledgerId, entryId);
  }
}
