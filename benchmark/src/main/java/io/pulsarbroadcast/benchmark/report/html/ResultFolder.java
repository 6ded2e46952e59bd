/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.engine.StageBreakdown;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import io.pulsarbroadcast.benchmark.report.CommandFile;
import io.pulsarbroadcast.benchmark.report.Environment;
import io.pulsarbroadcast.benchmark.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Reads the result files of a folder: those of local runs, and those of OpenMessaging Benchmark
 * with what our driver and the broker's timers say beside them. One thread may call it.
 */
final class ResultFolder {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OWN = RunFile.OWN;
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MICROS_PER_MILLI = 1e3;
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final Map<Double, String> SUFFIXES = new TreeMap<>();

  static {
    SUFFIXES.put(50.0, "50pct");
    SUFFIXES.put(75.0, "75pct");
    SUFFIXES.put(95.0, "95pct");
    SUFFIXES.put(99.0, "99pct");
    SUFFIXES.put(99.9, "999pct");
    SUFFIXES.put(99.99, "9999pct");
    SUFFIXES.put(100.0, "Max");
  }

  private final Path folder;
  private final Consumer<String> warn;
  private final Map<Path, JsonNode> runs = new LinkedHashMap<>();
  private final Map<Path, JsonNode> driverFiles = new LinkedHashMap<>();
  private final Map<Path, JsonNode> stageFiles = new LinkedHashMap<>();

  private ResultFolder(Path folder, Consumer<String> warn) {
    this.folder = folder;
    this.warn = warn;
  }

  /** {@code warn} hears of files that cannot be used. */
  static List<Result> read(Path folder, Consumer<String> warn) throws IOException {
    ResultFolder reader = new ResultFolder(folder, warn);
    reader.sortFiles();
    return reader.results();
  }

  private void sortFiles() throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.list(folder)) {
      files = found.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    for (Path file : files) {
      try {
        JsonNode node = JSON.readTree(file.toFile());
        String kind = node.path("kind").asText();
        if (kind.equals("pulsar-broadcast-omb-driver")) {
          driverFiles.put(file, node);
        } else if (kind.equals("pulsar-broadcast-stages")) {
          stageFiles.put(file, node);
        } else if (node.has("aggregatedEndToEndLatency99pct")) {
          runs.put(file, node);
        } else if (!kind.equals(CommandFile.KIND)) {
          warn.accept(file + " is no result file");
        }
      } catch (JsonProcessingException e) {
        warn.accept(file + " is not JSON: " + e.getOriginalMessage());
      }
    }
  }

  private List<Result> results() throws IOException {
    List<Result> results = new ArrayList<>();
    for (Map.Entry<Path, JsonNode> run : runs.entrySet()) {
      JsonNode own = run.getValue().path(OWN);
      results.add(
          own.isMissingNode()
              ? ofOmb(run.getKey(), run.getValue())
              : ofLocalRun(run.getKey(), run.getValue(), own));
    }
    results.sort(
        Comparator.comparingInt(Result::consumers)
            .thenComparing(Result::workload)
            .thenComparing(Result::driver)
            .thenComparingDouble(Result::publishPerSecond));
    return results;
  }

  private Result ofLocalRun(Path file, JsonNode run, JsonNode own) throws IOException {
    List<Result.CatchUp> catchUp = new ArrayList<>();
    for (JsonNode round : own.path("catchUp")) {
      catchUp.add(JSON.treeToValue(round, Result.CatchUp.class));
    }
    JsonNode delivery = own.path("delivery");
    return result(
        List.of(file),
        run,
        own.path("consumers").asInt(-1),
        report(own.path("lastReceiver")),
        report(own.path("connect")),
        own.path("connectWallMicros").asLong() / MICROS_PER_SECOND,
        delivery.path("expected").asLong(-1),
        delivery.path("received").asLong(-1),
        delivery.path("missing").asLong(-1),
        delivery.path("duplicates").asLong(-1),
        stages(run),
        catchUp,
        JSON.treeToValue(own.path("environment"), Environment.class).line());
  }

  /** Of several workers, the counts are sums, and the last to connect tells the time. */
  private Result ofOmb(Path file, JsonNode run) throws IOException {
    List<Path> files = new ArrayList<>(List.of(file));
    List<JsonNode> ofRun = new ArrayList<>();
    for (Map.Entry<Path, JsonNode> entry : driverFilesOf(file, run).entrySet()) {
      files.add(entry.getKey());
      ofRun.add(entry.getValue());
    }
    if (ofRun.isEmpty()) {
      return result(files, run, -1, null, null, -1, -1, -1, -1, -1, stages(run), List.of(), null);
    }
    long wall =
        ofRun.stream()
            .mapToLong(node -> node.path("connect").path("wallMicros").asLong())
            .max()
            .orElse(0);
    return result(
        files,
        run,
        (int) sum(ofRun, node -> node.path("consumers")),
        null,
        connectTimes(ofRun),
        wall / MICROS_PER_SECOND,
        sum(ofRun, node -> node.path("delivery").path("expectedEntries")),
        sum(ofRun, node -> node.path("delivery").path("receivedEntries")),
        sum(ofRun, node -> node.path("delivery").path("gapEntries")),
        sum(ofRun, node -> node.path("delivery").path("duplicateMessages")),
        stages(run, ofRun),
        List.of(),
        ofRun.stream()
            .map(node -> node.path("environment").asText())
            .distinct()
            .collect(Collectors.joining("; ", "load generators ", "")));
  }

  /** Of all workers together. */
  private static LatencyReport connectTimes(List<JsonNode> workers) throws IOException {
    Histogram sum = new Histogram(SIGNIFICANT_DIGITS);
    for (JsonNode worker : workers) {
      sum.add(report(worker.path("connect").path("sinceStart")).decode());
    }
    return LatencyReport.of(sum);
  }

  private interface Field {
    JsonNode of(JsonNode node);
  }

  private static long sum(List<JsonNode> nodes, Field field) {
    return nodes.stream().mapToLong(node -> field.of(node).asLong()).sum();
  }

  /**
   * The driver's files of a run: those with its driver's name and, when there are several runs of
   * that driver, of the topic whose run ended last before the result was written.
   */
  private Map<Path, JsonNode> driverFilesOf(Path file, JsonNode run) throws IOException {
    String written = Files.getLastModifiedTime(file).toInstant().toString();
    String topics = "";
    String latestEnd = "";
    for (JsonNode node : driverFiles.values()) {
      String ended = node.path("endedAt").asText();
      if (node.path("driver").equals(run.path("driver"))
          && ended.compareTo(latestEnd) > 0
          && (ended.compareTo(written) <= 0 || latestEnd.isEmpty())) {
        latestEnd = ended;
        topics = node.path("topics").toString();
      }
    }
    Map<Path, JsonNode> found = new LinkedHashMap<>();
    for (Map.Entry<Path, JsonNode> entry : driverFiles.entrySet()) {
      if (entry.getValue().path("topics").toString().equals(topics)) {
        found.put(entry.getKey(), entry.getValue());
      }
    }
    return found;
  }

  private Result result(
      List<Path> files,
      JsonNode run,
      int consumers,
      LatencyReport lastReceiver,
      LatencyReport connect,
      double connectWallSeconds,
      long expected,
      long received,
      long gaps,
      long duplicates,
      Map<String, Double> stages,
      List<Result.CatchUp> catchUp,
      String environment) {
    long maxBacklog = 0;
    for (JsonNode backlog : run.path("backlog")) {
      maxBacklog = Math.max(maxBacklog, backlog.asLong());
    }
    return new Result(
        files,
        run.path("workload").asText(),
        run.path("driver").asText(),
        run.path("messageSize").asInt(),
        run.path("partitions").asInt(1),
        consumers,
        mean(run.path("publishRate")),
        mean(run.path("consumeRate")),
        percentiles(run, "aggregatedPublishLatency"),
        percentiles(run, "aggregatedEndToEndLatency"),
        curve(run.path("aggregatedEndToEndLatencyQuantiles")),
        lastReceiver,
        connect,
        connectWallSeconds,
        expected,
        received,
        gaps,
        duplicates,
        maxBacklog,
        stages,
        catchUp,
        environment);
  }

  private static double mean(JsonNode values) {
    double sum = 0;
    for (JsonNode value : values) {
      sum += value.asDouble();
    }
    return values.isEmpty() ? 0 : sum / values.size();
  }

  private static Map<Double, Double> percentiles(JsonNode run, String name) {
    Map<Double, Double> values = new TreeMap<>();
    SUFFIXES.forEach(
        (percentile, suffix) -> values.put(percentile, run.path(name + suffix).asDouble()));
    return values;
  }

  private static List<Result.Quantile> curve(JsonNode quantiles) {
    List<Result.Quantile> curve = new ArrayList<>();
    quantiles
        .fields()
        .forEachRemaining(
            field ->
                curve.add(
                    new Result.Quantile(
                        Double.parseDouble(field.getKey()), field.getValue().asDouble())));
    curve.sort(Comparator.comparingDouble(Result.Quantile::percentile));
    return curve;
  }

  private static LatencyReport report(JsonNode node) throws IOException {
    return node.isObject() ? JSON.treeToValue(node, LatencyReport.class) : null;
  }

  /**
   * From the timers that the driver's files tell, of the last worker to look: each of them asked
   * the broker for the whole subscription.
   */
  private Map<String, Double> stages(JsonNode run, List<JsonNode> workers) {
    Map<String, Double> timers = new LinkedHashMap<>();
    workers.stream()
        .max(Comparator.comparing(worker -> worker.path("endedAt").asText()))
        .ifPresent(
            worker ->
                worker
                    .path("brokerTimers")
                    .fields()
                    .forEachRemaining(
                        timer ->
                            timers.put(
                                timer.getKey(), timer.getValue().path("meanMicros").asDouble())));
    double publishMicros = run.path("aggregatedPublishLatencyAvg").asDouble() * MICROS_PER_MILLI;
    Map<String, Double> millis = new LinkedHashMap<>();
    // End-to-end latency counts from the publish time there, and nothing tells the last receiver.
    StageBreakdown.of(timers, publishMicros, 0, 0)
        .forEach((stage, micros) -> millis.put(stage, micros / MICROS_PER_MILLI));
    return millis.isEmpty() ? stages(run) : millis;
  }

  /** From the result itself, or from a file beside it that names its driver and workload. */
  private Map<String, Double> stages(JsonNode run) {
    JsonNode inside = run.path(OWN).path("stages");
    if (inside.isObject()) {
      return Stages.read(inside);
    }
    return stageFiles.values().stream()
        .filter(
            node ->
                node.path("driver").equals(run.path("driver"))
                    && node.path("workload").equals(run.path("workload")))
        .findFirst()
        .map(node -> Stages.read(node.path("stages")))
        .orElse(Map.of());
  }
}
