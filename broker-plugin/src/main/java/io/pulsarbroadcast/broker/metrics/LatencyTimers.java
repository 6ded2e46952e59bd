/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.util.EnumMap;
import java.util.Map;

/** Histograms: three quarters of all series, so that they are per namespace unless asked for. */
@SuppressWarnings("deprecation") // see BroadcastMetrics
final class LatencyTimers extends MeterGroup {

  final Timer persistToLastWrite;
  final Timer positionsWrites;
  final Map<Stage, Timer> stages = new EnumMap<>(Stage.class);

  LatencyTimers(PrometheusMeterRegistry registry, Tags tags) {
    super(registry, tags);
    persistToLastWrite =
        timer(
            "persist.to.last.write",
            "From the answer of storage to the write of the last consumer's frame, per entry");
    positionsWrites = timer("positions.write", "Duration of writes to the positions log");
    for (Stage stage : Stage.values()) {
      stages.put(
          stage, timer("stage", "Duration of a stage of an entry's way", "stage", stage.label()));
    }
  }
}
