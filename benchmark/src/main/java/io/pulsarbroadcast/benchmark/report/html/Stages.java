/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The six stages that NTT splits the end-to-end latency into, and what is left. Any thread may call
 * it.
 */
final class Stages {
  /** Keys in files, in the order of time, and what they cover. */
  static final Map<String, String> NAMES = new LinkedHashMap<>();

  private static final double MICROS_PER_MILLI = 1_000;

  static {
    NAMES.put("produce", "producer and its network (by subtraction)");
    NAMES.put("broker", "broker, before storing");
    NAMES.put("persist", "stored by BookKeeper");
    NAMES.put("notify", "reader notified");
    NAMES.put("prepare", "prepared and handed to connections");
    NAMES.put("broadcast", "written for every consumer");
    NAMES.put("receive", "from there to the last receiver (by subtraction)");
  }

  private Stages() {}

  /** Milliseconds by stage; the mean, because means of stages add up and percentiles do not. */
  static Map<String, Double> read(JsonNode stages) {
    Map<String, Double> millis = new LinkedHashMap<>();
    for (String stage : NAMES.keySet()) {
      JsonNode mean = stages.path(stage).path("meanMicros");
      if (mean.isNumber()) {
        millis.put(stage, mean.asDouble() / MICROS_PER_MILLI);
      }
    }
    return millis;
  }
}
