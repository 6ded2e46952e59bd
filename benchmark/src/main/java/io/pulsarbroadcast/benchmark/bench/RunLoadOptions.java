/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.SourceAddresses;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The load of a run of so many messages, as picocli fills it in. One thread may call it. */
final class RunLoadOptions extends LoadOptions {
  /** Who looks the topic up. */
  enum Lookup {
    connection,
    consumer
  }

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Messages of a run, warm-up included.")
  @Range(from = 1, to = 10_000_000)
  Integer messages;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      description = "How many of them, from the first, are counted but not timed.")
  @Range(from = 0, to = 9_999_999)
  Integer warmup;

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Keys that the messages have in turn; 0 for none.")
  @Range(from = 0, to = 1_000_000)
  Integer keys;

  @Option(
      names = "--ack",
      paramLabel = "POLICY",
      description = "Of consumers that acknowledge: one of " + AckPolicy.ALLOWED + ".")
  String ack;

  @Option(names = "--receiver-queue", paramLabel = "N", description = "Permits of a consumer.")
  @Range(from = 1, to = 1_000_000)
  Integer receiverQueue;

  @Option(
      names = "--subscribe-window",
      paramLabel = "N",
      description = "Unanswered subscribes per connection.")
  @Range(from = 1, to = 100_000)
  Integer subscribeWindow;

  @Option(
      names = "--subscriptions",
      paramLabel = "N",
      description = "Broadcast subscriptions that the consumers are dealt out to.")
  @Range(from = 1, to = 1_000)
  int subscriptions = 1;

  @Option(
      names = "--lookup",
      paramLabel = "WHO",
      description =
          "connection: each connection looks the topic up once; consumer: each consumer does, as"
              + " when every one is a client of its own.")
  Lookup lookup = Lookup.connection;

  @Option(
      names = "--connect-timeout-seconds",
      paramLabel = "N",
      description = "For all consumers together.")
  @Range(from = 1, to = 86_400)
  Integer connectTimeoutSeconds;

  @Option(
      names = "--no-checksums",
      description = "Do not verify the CRC32C of every message; saves the load generator's CPU.")
  boolean noChecksums;

  /** With nothing but what is given. */
  RunLoadOptions() {}

  RunLoadOptions(int consumers, double rate, int sizeBytes, int messages, Integer warmup) {
    super(consumers, 16, rate, sizeBytes);
    this.messages = messages;
    this.warmup = warmup;
    this.subscribeWindow = 64;
    this.receiverQueue = 1_000;
  }

  /** 100,000 consumers, and many small messages that are acknowledged once a second. */
  static RunLoadOptions ofSmallMessages() {
    RunLoadOptions load = new RunLoadOptions(100_000, 10, 100, 60, 0);
    load.ack = AckPolicy.timed(1_000).toString();
    return load;
  }

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  void check() {
    if (messages != null && warmup != null) {
      checkWarmup(warmup);
    }
    ackPolicy(AckPolicy.CUMULATIVE);
    if (connections != null && consumers != null) {
      try {
        SourceAddresses.checkOpenFiles(Math.min(connections, consumers));
      } catch (IllegalArgumentException e) {
        throw new InvalidOptionException("--" + e.getMessage());
      }
    }
  }

  void checkWarmup(int warmupMessages) {
    checkWarmup(warmupMessages, messages);
  }

  /** Throws {@link InvalidOptionException} if no message would be timed. */
  static void checkWarmup(int warmupMessages, int messages) {
    if (warmupMessages >= messages) {
      throw new InvalidOptionException(
          "--warmup is %d; allowed: less than --messages, which is %d"
              .formatted(warmupMessages, messages));
    }
  }

  AckPolicy ackPolicy(AckPolicy otherwise) {
    try {
      return ack == null ? otherwise : AckPolicy.parse(ack);
    } catch (IllegalArgumentException e) {
      throw new InvalidOptionException("--ack is " + ack + "; allowed: " + AckPolicy.ALLOWED);
    }
  }

  /** Sets what was given. */
  LoadConfig applyTo(LoadConfig config) {
    if (subscribeWindow != null) {
      config.subscribeWindow(subscribeWindow);
    }
    if (receiverQueue != null) {
      config.receiverQueueSize(receiverQueue);
    }
    if (keys != null) {
      config.keys(keys);
    }
    return config.verifyChecksums(!noChecksums).lookupPerConsumer(lookup == Lookup.consumer);
  }

  /** One line for people, when everything has a default. */
  String line() {
    return String.format(
        Locale.ROOT,
        "%,d consumers over %,d connections, %,d messages of %,d bytes at %s per second, the first"
            + " %,d not timed, ack %s%s",
        consumers,
        Math.min(connections, consumers),
        messages,
        sizeBytes,
        plain(rate),
        warmup,
        ackPolicy(AckPolicy.CUMULATIVE),
        subscriptions == 1 ? "" : ", " + subscriptions + " subscriptions");
  }

  /** Consumers of Broadcast subscriptions, when everything has a default. */
  LoadConfig broadcast(String serviceUrl, String topic) {
    return applyTo(LoadConfig.builder())
        .serviceUrl(serviceUrl)
        .topic(topic)
        .consumers(consumers)
        .connections(connections)
        .messages(messages)
        .ackPolicy(ackPolicy(AckPolicy.CUMULATIVE))
        .broadcast("bench", subscriptions);
  }
}
