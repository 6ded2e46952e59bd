/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver's own result file of one worker and run. One thread may call it. */
final class DriverReport {
  static final String KIND = "pulsar-broadcast-omb-driver";

  private static final Logger LOG = LoggerFactory.getLogger(DriverReport.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DateTimeFormatter FILE_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private final DriverFile config;
  private final Instant startedAt;
  private final Collection<String> topics;
  private final ConnectTimes connect;
  private final long retries;
  private final StageTimers brokerTimers;

  DriverReport(
      DriverFile config,
      Instant startedAt,
      Collection<String> topics,
      ConnectTimes connect,
      long retries,
      StageTimers brokerTimers) {
    this.config = config;
    this.startedAt = startedAt;
    this.topics = topics;
    this.connect = connect;
    this.retries = retries;
    this.brokerTimers = brokerTimers;
  }

  /** Writes {@code <driver>-<start>-<host>-<process>.driver.json} into the file's folder. */
  void write(List<TrackedConsumer> consumers, boolean gapsCounted, boolean endKnown)
      throws IOException {
    String worker = host() + "-" + ProcessHandle.current().pid();
    ObjectNode report = JSON.createObjectNode();
    report.put("kind", KIND).put("formatVersion", 1);
    report.put("driver", config.name);
    report.put("subscriptionType", config.consumer.subscriptionType.name());
    report.put("worker", worker).put("environment", environment());
    report.put("startedAt", startedAt.toString());
    report.put("endedAt", Instant.now().toString());
    topics.forEach(report.putArray("topics")::add);
    report.put("consumers", consumers.size());
    ObjectNode times = report.putObject("connect");
    times.put("wallMicros", connect.wallMicros()).put("retries", retries);
    times.set("own", distribution(connect.ownMicros()));
    times.set("sinceStart", distribution(connect.sinceStartMicros()));
    addDelivery(report.putObject("delivery"), consumers, gapsCounted, endKnown);
    report.set("brokerTimers", JSON.valueToTree(brokerTimers.asMap()));

    File folder = config.results.folder();
    if (!folder.isDirectory() && !folder.mkdirs()) {
      throw new IOException("results.folder is " + folder + "; it cannot be created");
    }
    String name = config.name.replaceAll("[^A-Za-z0-9.-]+", "_");
    File file =
        new File(folder, name + "-" + FILE_TIME.format(startedAt) + "-" + worker + ".driver.json");
    JSON.writerWithDefaultPrettyPrinter().writeValue(file, report);
    LOG.info("Wrote {}", file);
  }

  private static void addDelivery(
      ObjectNode delivery, List<TrackedConsumer> consumers, boolean gapsCounted, boolean endKnown) {
    delivery.put("gapsCounted", gapsCounted).put("topicEndKnown", endKnown);
    delivery.put("messages", consumers.stream().mapToLong(c -> c.trail().messages()).sum());
    if (!gapsCounted) {
      return;
    }
    Map<String, Long> sums = new LinkedHashMap<>();
    ArrayNode findings = JSON.createArrayNode();
    for (TrackedConsumer consumer : consumers) {
      PositionTrail.Finding finding = consumer.trail().finding();
      finding.counts().forEach((name, count) -> sums.merge(name, count, Long::sum));
      if (!finding.isClean()) {
        put(findings.addObject().put("consumer", consumer.name()), finding.counts());
      }
    }
    put(delivery, sums);
    delivery.put("consumersWithFindings", findings.size());
    delivery.set("findings", findings);
    if (findings.isEmpty()) {
      LOG.info("{} consumers have received everything once and in order", consumers.size());
    } else {
      LOG.warn(
          "{} of {} consumers lack entries or were sent some twice; see findings in the report",
          findings.size(),
          consumers.size());
    }
  }

  private static void put(ObjectNode node, Map<String, Long> counts) {
    counts.forEach((name, count) -> node.put(name, count));
  }

  private static ObjectNode distribution(Histogram micros) {
    ObjectNode node = JSON.createObjectNode();
    node.put("count", micros.getTotalCount())
        .put("minMicros", micros.getMinValue())
        .put("meanMicros", micros.getMean())
        .put("p50Micros", micros.getValueAtPercentile(50))
        .put("p90Micros", micros.getValueAtPercentile(90))
        .put("p99Micros", micros.getValueAtPercentile(99))
        .put("p999Micros", micros.getValueAtPercentile(99.9))
        .put("maxMicros", micros.getMaxValue());
    ArrayNode buckets = node.putArray("buckets");
    for (HistogramIterationValue value : micros.recordedValues()) {
      buckets
          .addObject()
          .put("micros", value.getValueIteratedTo())
          .put("count", value.getCountAtValueIteratedTo());
    }
    ByteBuffer buffer = ByteBuffer.allocate(micros.getNeededByteBufferCapacity());
    int bytes = micros.encodeIntoCompressedByteBuffer(buffer);
    byte[] encoded = Arrays.copyOf(buffer.array(), bytes);
    return node.put("hdrHistogram", Base64.getEncoder().encodeToString(encoded));
  }

  private static String environment() {
    return String.format(
        Locale.ROOT,
        "%d cores, %s %s, Java %s",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        System.getProperty("java.version"));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
