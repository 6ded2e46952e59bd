/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.broker;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The plugin's stage timers of some topics, as a broker's Prometheus page shows them: how many
 * entries passed each stage since the topic was loaded, and how long that took them all together.
 * Immutable; any thread may call it.
 */
public final class StageTimers {
  /** Values of the label {@code stage}, in the order of time; see docs/metrics.md. */
  public static final List<String> STAGES =
      List.of("accept", "persist", "notify", "prepare", "first_write", "last_write");

  public static final StageTimers NONE = new StageTimers(Map.of());

  private static final String COUNT = "pulsar_broadcast_stage_seconds_count";
  private static final String SUM = "pulsar_broadcast_stage_seconds_sum";
  private static final double MICROS_PER_SECOND = 1e6;

  private static final class Timer {
    private final double count;
    private final double seconds;

    Timer(double count, double seconds) {
      this.count = count;
      this.seconds = seconds;
    }
  }

  private final Map<String, Timer> timers;

  private StageTimers(Map<String, Timer> timers) {
    this.timers = timers;
  }

  /**
   * {@code topics}: full names, of partitions where there are any. Stages not shown are left out.
   */
  public static StageTimers read(MetricsPage page, Collection<String> topics) {
    StageTimers sum = NONE;
    for (String topic : topics) {
      Map<String, Timer> ofTopic = new LinkedHashMap<>();
      for (String stage : STAGES) {
        String[] labels = {"topic=\"" + topic + "\"", "stage=\"" + stage + "\""};
        double count = page.sum(COUNT, labels);
        if (count >= 0) {
          ofTopic.put(stage, new Timer(count, page.sum(SUM, labels)));
        }
      }
      sum = sum.plus(new StageTimers(ofTopic));
    }
    return sum;
  }

  /** What two brokers, or topics, have together. */
  public StageTimers plus(StageTimers other) {
    return combined(other, 1);
  }

  /** What came to be after {@code before}, of the same topics. */
  public StageTimers since(StageTimers before) {
    return combined(before, -1);
  }

  private StageTimers combined(StageTimers other, int sign) {
    Map<String, Timer> combined = new LinkedHashMap<>(timers);
    other.timers.forEach(
        (stage, timer) ->
            combined.merge(
                stage,
                new Timer(sign * timer.count, sign * timer.seconds),
                (one, two) -> new Timer(one.count + two.count, one.seconds + two.seconds)));
    return new StageTimers(combined);
  }

  /** Entries that passed a stage; 0 also when it was not shown. */
  public long count(String stage) {
    return timers.containsKey(stage) ? Math.round(timers.get(stage).count) : 0;
  }

  /** Mean duration of the stages that entries passed, in microseconds. */
  public Map<String, Double> meanMicros() {
    Map<String, Double> means = new LinkedHashMap<>();
    timers.forEach(
        (stage, timer) -> {
          if (timer.count > 0) {
            means.put(stage, timer.seconds / timer.count * MICROS_PER_SECOND);
          }
        });
    return means;
  }

  /** For result files: of each stage that entries passed, {@code count} and {@code meanMicros}. */
  public Map<String, Map<String, Number>> asMap() {
    Map<String, Map<String, Number>> map = new LinkedHashMap<>();
    meanMicros()
        .forEach(
            (stage, mean) -> map.put(stage, Map.of("count", count(stage), "meanMicros", mean)));
    return map;
  }
}
