/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.OptionRange;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import io.pulsarbroadcast.benchmark.load.RunPlan;
import io.pulsarbroadcast.benchmark.load.SourceAddresses;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** The load of a benchmark, as picocli fills it in. One thread may call it. */
final class LoadOptions {
  private static final Duration QUIET = Duration.ofSeconds(20);

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description = "Consumers of the one topic (default: ${DEFAULT-VALUE}).")
  int consumers = 100_000;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description =
          "TCP connections they share; as many as consumers for one each (default:"
              + " ${DEFAULT-VALUE}).")
  int connections = 16;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Messages of a run, warm-up included (default: ${DEFAULT-VALUE}).")
  int messages = 60;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      description = "How many of them, from the first, are not timed (default: ${DEFAULT-VALUE}).")
  int warmup = 30;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Size of a message (default: ${DEFAULT-VALUE}).")
  int sizeBytes = 10_240;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second (default: ${DEFAULT-VALUE}).")
  double rate = 1;

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
      names = "--subscriptions",
      paramLabel = "N",
      description =
          "Broadcast subscriptions that the consumers are dealt out to (default:"
              + " ${DEFAULT-VALUE}).")
  int subscriptions = 1;

  @Option(
      names = "--lookup",
      paramLabel = "WHO",
      description =
          "connection: each connection looks the topic up once; consumer: each consumer does, as"
              + " when every one is a client of its own (default: ${DEFAULT-VALUE}).")
  String lookup = "connection";

  @Option(
      names = "--no-checksums",
      description = "Do not verify the CRC32C of every message; saves the load generator's CPU.")
  boolean noChecksums;

  @Option(
      names = "--connect-timeout-seconds",
      paramLabel = "N",
      description = "For all consumers together (default: ${DEFAULT-VALUE}).")
  int connectTimeoutSeconds = 600;

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  void check() {
    OptionRange.CONSUMERS.check(consumers);
    OptionRange.CONNECTIONS.check(connections);
    OptionRange.MESSAGES.check(messages);
    OptionRange.WARMUP.check(warmup);
    OptionRange.SIZE.check(sizeBytes);
    OptionRange.RATE.check(rate);
    OptionRange.RECEIVER_QUEUE.check(receiverQueue);
    OptionRange.SUBSCRIBE_WINDOW.check(subscribeWindow);
    OptionRange.SUBSCRIPTIONS.check(subscriptions);
    OptionRange.CONNECT_TIMEOUT.check(connectTimeoutSeconds);
    if (warmup >= messages) {
      throw new InvalidOptionException(
          "--warmup is %d; allowed: less than --messages, which is %d".formatted(warmup, messages));
    }
    ackPolicy();
    lookupPerConsumer();
    try {
      SourceAddresses.checkOpenFiles(Math.min(connections, consumers));
    } catch (IllegalArgumentException e) {
      throw new InvalidOptionException("--" + e.getMessage());
    }
  }

  AckPolicy ackPolicy() {
    try {
      return AckPolicy.parse(ack);
    } catch (IllegalArgumentException e) {
      throw new InvalidOptionException("--ack is " + ack + "; allowed: " + AckPolicy.ALLOWED);
    }
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
    Map<String, String> map = new LinkedHashMap<>();
    map.put("consumers", Integer.toString(consumers));
    map.put("connections", Integer.toString(Math.min(connections, consumers)));
    map.put("messages", Integer.toString(messages));
    map.put("warmupMessages", Integer.toString(warmup));
    map.put("sizeBytes", Integer.toString(sizeBytes));
    map.put("messagesPerSecond", Double.toString(rate));
    map.put("ack", ackPolicy().toString());
    map.put("receiverQueue", Integer.toString(receiverQueue));
    map.put("subscribeWindow", Integer.toString(subscribeWindow));
    map.put("subscriptions", Integer.toString(subscriptions));
    map.put("lookup", lookup);
    map.put("verifyChecksums", Boolean.toString(!noChecksums));
    return map;
  }
}
