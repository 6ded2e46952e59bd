/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * Histograms: three quarters of all series, so that they are per namespace unless asked for. Timers
 * may be used from any thread.
 */
@SuppressWarnings("deprecation") // see BroadcastMetrics
final class LatencyTimers extends LabelGroup {

  /** Upper ends of the histograms' buckets. */
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(200),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  final Timer persistToLastWrite;
  final Timer positionsWrites;
  final Map<Stage, Timer> stages = new EnumMap<>(Stage.class);

  private final PrometheusMeterRegistry registry;

  LatencyTimers(PrometheusMeterRegistry registry, Tags tags) {
    super(tags);
    this.registry = registry;
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

  private Timer timer(String name, String description, String... more) {
    return Timer.builder(BroadcastMetrics.PREFIX + name)
        .description(description)
        .tags(tags().and(more))
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  /** Takes them out of the registry. */
  void unregister() {
    registry.remove(persistToLastWrite);
    registry.remove(positionsWrites);
    stages.values().forEach(registry::remove);
  }
}
