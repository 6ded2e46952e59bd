/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.AbstractLoadOptions;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import io.pulsarbroadcast.benchmark.load.RunPlan;
import io.pulsarbroadcast.benchmark.load.SourceAddresses;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** The load of a benchmark, as picocli fills it in. One thread may call it. */
final class LoadOptions extends AbstractLoadOptions {
  private static final Duration QUIET = Duration.ofSeconds(20);

  @Option(
      names = "--warmup",
      paramLabel = "N",
      description = "How many of them, from the first, are not timed (default: ${DEFAULT-VALUE}).")
  @Range(from = 0, to = 9_999_999)
  int warmup = 30;

  @Option(
      names = "--subscriptions",
      paramLabel = "N",
      description =
          "Broadcast subscriptions that the consumers are dealt out to (default:"
              + " ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  int subscriptions = 1;

  @Option(
      names = "--lookup",
      paramLabel = "WHO",
      description =
          "connection: each connection looks the topic up once; consumer: each consumer does, as"
              + " when every one is a client of its own (default: ${DEFAULT-VALUE}).")
  String lookup = "connection";

  @Option(
      names = "--connect-timeout-seconds",
      paramLabel = "N",
      description = "For all consumers together (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 86_400)
  int connectTimeoutSeconds = 600;

  LoadOptions() {
    super(100_000, 1);
  }

  /** Many small messages, acknowledged once a second. */
  static LoadOptions smallMessages() {
    LoadOptions load = new LoadOptions();
    load.rate = 10;
    load.sizeBytes = 100;
    load.ack = AckPolicy.timed(1_000).toString();
    return load;
  }

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  void check() {
    checkLoad();
    lookupPerConsumer();
    try {
      SourceAddresses.checkOpenFiles(Math.min(connections, consumers));
    } catch (IllegalArgumentException e) {
      throw new InvalidOptionException("--" + e.getMessage());
    }
  }

  @Override
  public int warmupMessages() {
    return warmup;
  }

  private boolean lookupPerConsumer() {
    switch (lookup.toLowerCase(Locale.ROOT)) {
      case "connection":
        return false;
      case "consumer":
        return true;
      default:
        throw new InvalidOptionException(
            "--lookup is " + lookup + "; allowed: connection, consumer");
    }
  }

  /** Everything but the subscriptions. */
  LoadConfigBuilder config(String serviceUrl, String topic) {
    return LoadConfig.builder()
        .serviceUrl(serviceUrl)
        .topic(topic)
        .consumers(consumers)
        .connections(connections)
        .messages(messages)
        .warmupMessages(warmup)
        .subscribeWindow(subscribeWindow)
        .receiverQueueSize(receiverQueue)
        .ackPolicy(ackPolicy())
        .lookupPerConsumer(lookupPerConsumer())
        .verifyChecksums(!noChecksums);
  }

  /** With the Broadcast subscriptions. */
  LoadConfigBuilder broadcast(String serviceUrl, String topic) {
    return config(serviceUrl, topic).broadcast("bench", subscriptions);
  }

  RunPlan plan() {
    return new RunPlan(sizeBytes, rate, Duration.ofSeconds(connectTimeoutSeconds), QUIET, false);
  }

  /** One line for people. */
  String line() {
    return String.format(
        Locale.ROOT,
        "%,d consumers over %,d connections, %,d messages of %,d bytes at %s per second, the first"
            + " %,d not timed, ack %s, %,d subscription%s",
        consumers,
        Math.min(connections, consumers),
        messages,
        sizeBytes,
        rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate),
        warmup,
        ackPolicy(),
        subscriptions,
        subscriptions == 1 ? "" : "s");
  }

  /** For the result file. */
  Map<String, String> asMap() {
    Map<String, String> map = loadAsMap();
    map.put("subscriptions", Integer.toString(subscriptions));
    map.put("lookup", lookup);
    return map;
  }
}
