/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The six stages that NTT splits the latency into, and what is left: timers of the broker, and
 * differences between them and what the load generator measured. All are means, because means add
 * up and percentiles do not. Any thread may call it. Which stage comes from where, and what is only
 * inferred, is in docs/measure.md.
 */
public final class StageBreakdown {
  private static final List<String> NEEDED =
      List.of("accept", "persist", "notify", "prepare", "last_write");

  private StageBreakdown() {}

  /**
   * Microseconds by stage, in the order of time; empty when a timer is missing.
   *
   * @param timers means in microseconds by the label that the broker's timers have
   * @param publishMicros mean from sending to the producer's answer
   * @param publishDelayMicros mean from when a message was due to when it was sent; 0 when latency
   *     does not count from there
   * @param lastReceiverMicros mean from when a message was due to when its last consumer had it; 0
   *     when not known, and then there is no stage {@code receive}
   */
  public static Map<String, Double> of(
      Map<String, Double> timers,
      double publishMicros,
      double publishDelayMicros,
      double lastReceiverMicros) {
    if (!timers.keySet().containsAll(NEEDED)) {
      return Map.of();
    }
    double accept = timers.get("accept");
    double persist = timers.get("persist");
    Map<String, Double> stages = new LinkedHashMap<>();
    // Upper bound: the answer's way back is in it, and its wait for the producer.
    stages.put("produce", publishDelayMicros + Math.max(0, publishMicros - persist));
    stages.put("broker", accept);
    stages.put("persist", Math.max(0, persist - accept));
    stages.put("notify", timers.get("notify"));
    stages.put("prepare", timers.get("prepare"));
    stages.put("broadcast", timers.get("last_write"));
    if (lastReceiverMicros > 0) {
      double produce = stages.get("produce");
      double inBroker = sum(stages) - produce;
      stages.put("produce", Math.min(produce, Math.max(0, lastReceiverMicros - inBroker)));
      stages.put("receive", Math.max(0, lastReceiverMicros - sum(stages)));
    }
    return stages;
  }

  private static double sum(Map<String, Double> stages) {
    return stages.values().stream().mapToDouble(Double::doubleValue).sum();
  }
}
