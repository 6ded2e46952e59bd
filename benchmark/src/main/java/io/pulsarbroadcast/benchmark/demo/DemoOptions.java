/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.demo;

import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.OptionRange;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of the demo, as picocli fills them in. One thread may call it. */
final class DemoOptions {
  /** Which subscriptions are measured. */
  enum Mode {
    BROADCAST,
    EXCLUSIVE
  }

  private static final int MAX_DEFAULT_WARMUP = 10;
  private static final int WARMUP_SHARE = 6;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description = "Consumers of the one topic (default: ${DEFAULT-VALUE}).")
  int consumers = 1_000;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "TCP connections they share (default: ${DEFAULT-VALUE}).")
  int connections = 16;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Messages to publish (default: ${DEFAULT-VALUE}).")
  int messages = 60;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      description =
          "How many of them, from the first, are counted but not timed; the others follow when"
              + " these have arrived (default: a sixth, at most 10).")
  Integer warmup;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Size of a message (default: ${DEFAULT-VALUE}).")
  int sizeBytes = 10_240;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second (default: ${DEFAULT-VALUE}).")
  double rate = 2;

  @Option(
      names = "--ack",
      paramLabel = "POLICY",
      description = "One of " + AckPolicy.ALLOWED + " (default: ${DEFAULT-VALUE}).")
  String ack = "cumulative";

  @Option(
      names = "--receiver-queue",
      paramLabel = "N",
      description = "Permits of a consumer (default: ${DEFAULT-VALUE}).")
  int receiverQueue = 1_000;

  @Option(
      names = "--subscribe-window",
      paramLabel = "N",
      description = "Unanswered subscribes per connection (default: ${DEFAULT-VALUE}).")
  int subscribeWindow = 64;

  @Option(
      names = "--no-checksums",
      description = "Do not verify the CRC32C of every message; saves CPU at 100,000 consumers.")
  boolean noChecksums;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "broadcast: one Broadcast subscription; exclusive: a stock Exclusive subscription per"
              + " consumer (default: broadcast).")
  String mode = "broadcast";

  @Option(
      names = "--compare",
      description =
          "After Broadcast, the same load on the same broker with a stock Exclusive subscription"
              + " per consumer; then both side by side.")
  boolean compare;

  @Option(
      names = "--service-url",
      paramLabel = "URL",
      description = "Use a running broker that has the plugin, instead of starting one.")
  String serviceUrl;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Where to write results (default: ${DEFAULT-VALUE}).")
  Path output = Path.of("demo-results");

  @Mixin BrokerOptions broker = new BrokerOptions(1_024, 2_048);

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  void check() {
    OptionRange.CONSUMERS.check(consumers);
    OptionRange.CONNECTIONS.check(connections);
    OptionRange.MESSAGES.check(messages);
    OptionRange.WARMUP.check(warmupMessages());
    OptionRange.SIZE.check(sizeBytes);
    OptionRange.RATE.check(rate);
    OptionRange.RECEIVER_QUEUE.check(receiverQueue);
    OptionRange.SUBSCRIBE_WINDOW.check(subscribeWindow);
    broker.checkMemory();
    if (warmupMessages() >= messages) {
      throw new InvalidOptionException(
          "--warmup is %d; allowed: less than --messages, which is %d"
              .formatted(warmupMessages(), messages));
    }
    ackPolicy();
    mode();
    if (compare && mode() == Mode.EXCLUSIVE) {
      throw new InvalidOptionException("--mode is exclusive; allowed with --compare: broadcast");
    }
    if (serviceUrl == null) {
      broker.checkFiles(mode() == Mode.BROADCAST, ", or --service-url");
    } else {
      checkServiceUrl();
    }
    if (Files.exists(output) && !Files.isDirectory(output)) {
      throw new InvalidOptionException("--output is " + output + "; allowed: a folder");
    }
  }

  private void checkServiceUrl() {
    URI uri = null;
    try {
      uri = URI.create(serviceUrl);
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    if (uri == null || !"pulsar".equals(uri.getScheme()) || uri.getHost() == null) {
      throw new InvalidOptionException(
          "--service-url is " + serviceUrl + "; allowed: pulsar://host:port");
    }
  }

  AckPolicy ackPolicy() {
    try {
      return AckPolicy.parse(ack);
    } catch (IllegalArgumentException e) {
      throw new InvalidOptionException("--ack is " + ack + "; allowed: " + AckPolicy.ALLOWED);
    }
  }

  Mode mode() {
    for (Mode value : Mode.values()) {
      if (value.name().equalsIgnoreCase(mode)) {
        return value;
      }
    }
    throw new InvalidOptionException("--mode is " + mode + "; allowed: broadcast, exclusive");
  }

  int warmupMessages() {
    return warmup == null ? Math.min(MAX_DEFAULT_WARMUP, messages / WARMUP_SHARE) : warmup;
  }

  /** Where the log of a broker goes that made the demo fail. */
  Path brokerLog() {
    return output.resolve("broker.log");
  }

  /** For the result file. */
  Map<String, String> asMap() {
    Map<String, String> map = new LinkedHashMap<>();
    map.put("consumers", Integer.toString(consumers));
    map.put("connections", Integer.toString(connections));
    map.put("messages", Integer.toString(messages));
    map.put("warmupMessages", Integer.toString(warmupMessages()));
    map.put("sizeBytes", Integer.toString(sizeBytes));
    map.put("messagesPerSecond", Double.toString(rate));
    map.put("ack", ackPolicy().toString());
    map.put("receiverQueue", Integer.toString(receiverQueue));
    map.put("subscribeWindow", Integer.toString(subscribeWindow));
    map.put("verifyChecksums", Boolean.toString(!noChecksums));
    map.put("serviceUrl", serviceUrl == null ? "own broker" : serviceUrl);
    if (serviceUrl == null) {
      map.put("brokerHeapMegabytes", Integer.toString(broker.heapMegabytes()));
      map.put("brokerDirectMegabytes", Integer.toString(broker.directMegabytes()));
    }
    return map;
  }
}
