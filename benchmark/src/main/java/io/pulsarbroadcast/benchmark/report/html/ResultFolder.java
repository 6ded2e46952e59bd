/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import static java.lang.Double.parseDouble;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.engine.StageBreakdown;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import io.pulsarbroadcast.benchmark.report.CommandFile;
import io.pulsarbroadcast.benchmark.report.Environment;
import io.pulsarbroadcast.benchmark.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.HdrHistogram.Histogram;

/**
 * Reads the result files of a folder: those of local runs, and those of OpenMessaging Benchmark
 * with what our driver and the broker's timers say beside them. One thread may call it.
 */
final class ResultFolder {
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
  private static final String OWN = RunFile.OWN;
  private static final double MICROS_PER_MILLI = 1e3;
  private static final int SIGNIFICANT_DIGITS = 3;

  /** Of the fields of a latency, by percentile; in the order of the page's tables. */
  static final Map<Double, String> SUFFIXES = new TreeMap<>();

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
    return result(
        List.of(file),
        run,
        stages(run),
        JSON.treeToValue(own, Result.Own.class),
        JSON.treeToValue(own.path("environment"), Environment.class).line());
  }

  /** Of several workers, the counts are sums, and the last to connect tells the time. */
  private Result ofOmb(Path file, JsonNode run) throws IOException {
    Map<Path, JsonNode> beside = driverFilesOf(file, run);
    if (beside.isEmpty()) {
      return result(List.of(file), run, stages(run), Result.Own.UNKNOWN, null);
    }
    List<Path> files = new ArrayList<>(List.of(file));
    files.addAll(beside.keySet());
    Collection<JsonNode> workers = beside.values();
    long expected = sum(workers, "/delivery/expectedEntries");
    long received = sum(workers, "/delivery/receivedEntries");
    long duplicates = sum(workers, "/delivery/duplicateMessages");
    Result.Own own =
        new Result.Own(
            (int) sum(workers, "/consumers"),
            null,
            connectTimes(workers),
            longs(workers, "/connect/wallMicros").max().orElse(0),
            new DeliveryCounts(
                0, expected, received, expected - received, duplicates, 0, 0, 0, 0, 0),
            List.of());
    String environment =
        workers.stream()
            .map(node -> node.path("environment").asText())
            .distinct()
            .collect(Collectors.joining("; ", "load generators ", ""));
    return result(files, run, stages(run, workers), own, environment);
  }

  /** Of all workers together. */
  private static LatencyReport connectTimes(Collection<JsonNode> workers) throws IOException {
    Histogram sum = new Histogram(SIGNIFICANT_DIGITS);
    for (JsonNode worker : workers) {
      sum.add(JSON.treeToValue(worker.at("/connect/sinceStart"), LatencyReport.class).decode());
    }
    return LatencyReport.of(sum);
  }

  private static LongStream longs(Collection<JsonNode> nodes, String pointer) {
    return nodes.stream().mapToLong(node -> node.at(pointer).asLong());
  }

  private static long sum(Collection<JsonNode> nodes, String pointer) {
    return longs(nodes, pointer).sum();
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
    Map<Path, JsonNode> found = new LinkedHashMap<>(driverFiles);
    String wanted = topics;
    found.values().removeIf(node -> !node.path("topics").toString().equals(wanted));
    return found;
  }

  private static Result result(
      List<Path> files,
      JsonNode run,
      Map<String, Double> stages,
      Result.Own own,
      String environment) {
    return new Result(
        files,
        run.path("workload").asText(),
        run.path("driver").asText(),
        run.path("messageSize").asInt(),
        run.path("partitions").asInt(1),
        doubles(run.path("publishRate")).average().orElse(0),
        doubles(run.path("consumeRate")).average().orElse(0),
        percentiles(run, "aggregatedPublishLatency"),
        percentiles(run, "aggregatedEndToEndLatency"),
        curve(run.path("aggregatedEndToEndLatencyQuantiles")),
        (long) doubles(run.path("backlog")).max().orElse(0),
        stages,
        own,
        environment);
  }

  private static DoubleStream doubles(JsonNode values) {
    return StreamSupport.stream(values.spliterator(), false).mapToDouble(JsonNode::asDouble);
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
            q -> curve.add(new Result.Quantile(parseDouble(q.getKey()), q.getValue().asDouble())));
    curve.sort(Comparator.comparingDouble(Result.Quantile::percentile));
    return curve;
  }

  /**
   * From the timers that the driver's files tell, of the last worker to look: each of them asked
   * the broker for the whole subscription.
   */
  private Map<String, Double> stages(JsonNode run, Collection<JsonNode> workers) {
    JsonNode last =
        Collections.max(workers, Comparator.comparing(worker -> worker.path("endedAt").asText()));
    double publishMicros = run.path("aggregatedPublishLatencyAvg").asDouble() * MICROS_PER_MILLI;
    // End-to-end latency counts from the publish time there, and nothing tells the last receiver.
    Map<String, Double> stages =
        StageBreakdown.of(meanMicros(last.path("brokerTimers")), publishMicros, 0, 0);
    return stages.isEmpty() ? stages(run) : millis(stages);
  }

  /** From the result itself, or from a file beside it that names its driver and workload. */
  private Map<String, Double> stages(JsonNode run) {
    JsonNode inside = run.path(OWN).path("stages");
    if (inside.isObject()) {
      return millis(meanMicros(inside));
    }
    return stageFiles.values().stream()
        .filter(
            node ->
                node.path("driver").equals(run.path("driver"))
                    && node.path("workload").equals(run.path("workload")))
        .findFirst()
        .map(node -> millis(meanMicros(node.path("stages"))))
        .orElse(Map.of());
  }

  /** The mean, because means of stages add up and percentiles do not. */
  private static Map<String, Double> meanMicros(JsonNode timers) {
    Map<String, Double> means = new LinkedHashMap<>();
    timers
        .fields()
        .forEachRemaining(t -> means.put(t.getKey(), t.getValue().path("meanMicros").asDouble()));
    return means;
  }

  private static Map<String, Double> millis(Map<String, Double> micros) {
    Map<String, Double> millis = new LinkedHashMap<>();
    micros.forEach((stage, value) -> millis.put(stage, value / MICROS_PER_MILLI));
    return millis;
  }
}
