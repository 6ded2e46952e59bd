/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.pulsarbroadcast.benchmark.engine.Interval;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Writes a result with the field names of OpenMessaging Benchmark's result files, and what it has
 * no field for under {@code pulsarBroadcast}. Any thread may call it.
 */
public final class RunFile {
  /** The object of what OpenMessaging Benchmark has no field for. */
  public static final String OWN = "pulsarBroadcast";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double MICROS_PER_MILLI = 1_000;
  private static final int TICKS_PER_HALF_DISTANCE = 100;
  private static final Map<String, Double> PERCENTILES =
      Map.of(
          "50pct", 50.0, "75pct", 75.0, "95pct", 95.0, "99pct", 99.0, "999pct", 99.9, "9999pct",
          99.99);

  private RunFile() {}

  /** Writes one run, or several rounds of it together. */
  public static void write(Path file, RunResult result, Instant startedAt) throws IOException {
    ObjectNode root = JSON.createObjectNode();
    Plan plan = result.plan();
    root.put("workload", plan.workload()).put("driver", plan.driver());
    root.put("messageSize", plan.messageBytes()).put("topics", 1);
    root.put("partitions", plan.partitions());
    root.put("producersPerTopic", plan.partitions()).put("consumersPerTopic", 1);
    addRates(root, result.intervals());
    // In OpenMessaging Benchmark's files the delay is in microseconds, the others in milliseconds.
    addLatency(root, "publishLatency", MICROS_PER_MILLI, result, Interval::publishMicros);
    addLatency(root, "publishDelayLatency", 1, result, Interval::publishDelayMicros);
    addLatency(root, "endToEndLatency", MICROS_PER_MILLI, result, Interval::endToEndMicros);
    addOwn(root.putObject(OWN), result, startedAt);
    Files.createDirectories(file.toAbsolutePath().getParent());
    JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
  }

  private static void addRates(ObjectNode root, List<Interval> intervals) {
    ArrayNode publishRate = root.putArray("publishRate");
    ArrayNode publishErrorRate = root.putArray("publishErrorRate");
    ArrayNode consumeRate = root.putArray("consumeRate");
    ArrayNode backlog = root.putArray("backlog");
    for (Interval interval : intervals) {
      publishRate.add(interval.published() / interval.seconds());
      publishErrorRate.add(interval.errors() / interval.seconds());
      consumeRate.add(interval.received() / interval.seconds());
      backlog.add(interval.backlog());
    }
  }

  private static void addLatency(
      ObjectNode root,
      String name,
      double microsPerUnit,
      RunResult result,
      Function<Interval, Histogram> histogram) {
    Histogram all = result.sum(histogram);
    String aggregated = "aggregated" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
    ArrayNode averages = root.putArray(name + "Avg");
    ArrayNode maxima = root.putArray(name + "Max");
    for (Interval interval : result.intervals()) {
      averages.add(histogram.apply(interval).getMean() / microsPerUnit);
      maxima.add(histogram.apply(interval).getMaxValue() / microsPerUnit);
    }
    PERCENTILES.forEach(
        (suffix, percentile) -> {
          ArrayNode values = root.putArray(name + suffix);
          for (Interval interval : result.intervals()) {
            values.add(histogram.apply(interval).getValueAtPercentile(percentile) / microsPerUnit);
          }
          root.put(aggregated + suffix, all.getValueAtPercentile(percentile) / microsPerUnit);
        });
    root.put(aggregated + "Avg", all.getMean() / microsPerUnit);
    root.put(aggregated + "Max", all.getMaxValue() / microsPerUnit);
    ObjectNode quantiles = root.putObject(aggregated + "Quantiles");
    for (HistogramIterationValue value : all.percentiles(TICKS_PER_HALF_DISTANCE)) {
      quantiles.put(
          Double.toString(value.getPercentile()), value.getValueIteratedTo() / microsPerUnit);
    }
  }

  private static void addOwn(ObjectNode own, RunResult result, Instant startedAt) {
    Plan plan = result.plan();
    own.put("formatVersion", 2).put("startedAt", startedAt.toString());
    own.put("subscriptionType", plan.subscriptionType()).put("consumers", plan.consumers());
    own.put("server", plan.server().name()).put("connections", plan.connections());
    own.put("requestedMessagesPerSecond", plan.messagesPerSecond());
    own.put("seconds", result.seconds()).put("warmupSeconds", plan.warmupSeconds());
    own.put("sustained", result.isSustained()).put("step", plan.stepped());
    own.put("rounds", result.rounds())
        .put("complete", result.isComplete())
        .put("stoppedBy", result.stoppedBy());
    own.put("connectWallMicros", result.connectWallMicros());
    own.put("subscribed", result.subscribed());
    own.set("connect", JSON.valueToTree(LatencyReport.of(result.connectMicros())));
    own.set("endToEnd", JSON.valueToTree(LatencyReport.of(result.endToEndMicros())));
    own.set("lastReceiver", JSON.valueToTree(LatencyReport.of(result.lastReceiverMicros())));
    own.set(
        "lastReceiverPerMessageMicros", JSON.valueToTree(result.lastReceiverPerMessageMicros()));
    own.set("delivery", JSON.valueToTree(result.delivery()));
    own.put("connectionsLost", result.connectionsLost());
    own.put("brokerCpuMillis", result.brokerCpuMillis());
    own.put("generatorCpuMillis", result.generatorCpuMillis());
    own.put("firstError", result.firstError());
    own.set("brokerSettings", JSON.valueToTree(plan.brokerSettings()));
    own.set("environment", JSON.valueToTree(Environment.current(result.brokerVersion())));
    Map<String, Double> stages = result.stages();
    if (!stages.isEmpty()) {
      own.set("brokerTimers", JSON.valueToTree(result.brokerTimers().asMap()));
      ObjectNode ofStage = own.putObject("stages");
      stages.forEach((stage, micros) -> ofStage.putObject(stage).put("meanMicros", micros));
    }
    if (!result.catchUp().isEmpty()) {
      own.set("catchUp", JSON.valueToTree(result.catchUp()));
    }
  }
}
