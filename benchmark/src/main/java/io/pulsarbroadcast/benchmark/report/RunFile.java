/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.pulsarbroadcast.benchmark.engine.Interval;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
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

  /** What is told of a latency, by the end of the field's name. */
  private static final Map<String, ToDoubleFunction<Histogram>> OF_LATENCY =
      Map.of(
          "Avg", Histogram::getMean,
          "50pct", micros -> micros.getValueAtPercentile(50),
          "75pct", micros -> micros.getValueAtPercentile(75),
          "95pct", micros -> micros.getValueAtPercentile(95),
          "99pct", micros -> micros.getValueAtPercentile(99),
          "999pct", micros -> micros.getValueAtPercentile(99.9),
          "9999pct", micros -> micros.getValueAtPercentile(99.99),
          "Max", Histogram::getMaxValue);

  private RunFile() {}

  /** Writes one run, or several rounds of it together. */
  public static void write(Path file, RunResult result, Instant startedAt) throws IOException {
    ObjectNode root = JSON.createObjectNode();
    Plan plan = result.plan();
    root.put("workload", plan.workload()).put("driver", plan.driver());
    root.put("messageSize", plan.messageBytes()).put("topics", 1);
    root.put("partitions", plan.partitions());
    root.put("producersPerTopic", plan.partitions()).put("consumersPerTopic", 1);
    addSeries(root, "publishRate", result, interval -> interval.published() / interval.seconds());
    addSeries(root, "publishErrorRate", result, interval -> interval.errors() / interval.seconds());
    addSeries(root, "consumeRate", result, interval -> interval.received() / interval.seconds());
    root.putPOJO("backlog", result.intervals().stream().map(Interval::backlog).toList());
    // In OpenMessaging Benchmark's files the delay is in microseconds, the others in milliseconds.
    addLatency(root, "publishLatency", MICROS_PER_MILLI, result, Interval::publishMicros);
    addLatency(root, "publishDelayLatency", 1, result, Interval::publishDelayMicros);
    addLatency(root, "endToEndLatency", MICROS_PER_MILLI, result, Interval::endToEndMicros);
    addOwn(root.putObject(OWN), result, startedAt);
    Files.createDirectories(file.toAbsolutePath().getParent());
    JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
  }

  private static void addSeries(
      ObjectNode root, String name, RunResult result, ToDoubleFunction<Interval> value) {
    root.putPOJO(name, result.intervals().stream().mapToDouble(value).toArray());
  }

  private static void addLatency(
      ObjectNode root,
      String name,
      double microsPerUnit,
      RunResult result,
      Function<Interval, Histogram> histogram) {
    Histogram all = result.sum(histogram);
    String aggregated = "aggregated" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
    OF_LATENCY.forEach(
        (suffix, micros) -> {
          addSeries(
              root,
              name + suffix,
              result,
              interval -> micros.applyAsDouble(histogram.apply(interval)) / microsPerUnit);
          root.put(aggregated + suffix, micros.applyAsDouble(all) / microsPerUnit);
        });
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
    own.putPOJO("connect", LatencyReport.of(result.connectMicros()));
    own.putPOJO("endToEnd", LatencyReport.of(result.endToEndMicros()));
    own.putPOJO("lastReceiver", LatencyReport.of(result.lastReceiverMicros()));
    own.putPOJO("lastReceiverPerMessageMicros", result.lastReceiverPerMessageMicros());
    own.putPOJO("delivery", result.delivery());
    own.put("connectionsLost", result.connectionsLost());
    own.put("brokerCpuMillis", result.brokerCpuMillis());
    own.put("generatorCpuMillis", result.generatorCpuMillis());
    own.put("firstError", result.firstError());
    own.putPOJO("brokerSettings", plan.brokerSettings());
    own.putPOJO("environment", Environment.current(result.brokerVersion()));
    Map<String, Double> stages = result.stages();
    if (!stages.isEmpty()) {
      own.putPOJO("brokerTimers", result.brokerTimers().asMap());
      ObjectNode ofStage = own.putObject("stages");
      stages.forEach((stage, micros) -> ofStage.putObject(stage).put("meanMicros", micros));
    }
    if (!result.catchUp().isEmpty()) {
      own.putPOJO("catchUp", result.catchUp());
    }
  }
}
