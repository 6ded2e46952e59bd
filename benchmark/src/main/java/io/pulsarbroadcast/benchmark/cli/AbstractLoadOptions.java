/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * The load on one topic that the demo and the benchmarks have in common, as picocli fills it in;
 * who extends it gives it other defaults. One thread may call it.
 */
public abstract class AbstractLoadOptions {
  @Option(
      names = "--consumers",
      paramLabel = "N",
      description = "Consumers of the one topic (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000_000)
  public int consumers;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description =
          "TCP connections they share; as many as consumers for one each (default:"
              + " ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000_000)
  public int connections = 16;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Messages of a run, warm-up included (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 10_000_000)
  public int messages = 60;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Size of a message (default: ${DEFAULT-VALUE}).")
  @Range(from = PayloadFormat.MIN_SIZE_BYTES, to = PayloadFormat.MAX_SIZE_BYTES)
  public int sizeBytes = 10_240;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second (default: ${DEFAULT-VALUE}).")
  @Range(from = 0.01, to = 1_000_000)
  public double rate;

  @Option(
      names = "--ack",
      paramLabel = "POLICY",
      description = "One of " + AckPolicy.ALLOWED + " (default: ${DEFAULT-VALUE}).")
  public String ack = "cumulative";

  @Option(
      names = "--receiver-queue",
      paramLabel = "N",
      description = "Permits of a consumer (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000_000)
  public int receiverQueue = 1_000;

  @Option(
      names = "--subscribe-window",
      paramLabel = "N",
      description = "Unanswered subscribes per connection (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 100_000)
  public int subscribeWindow = 64;

  @Option(
      names = "--no-checksums",
      description = "Do not verify the CRC32C of every message; saves the load generator's CPU.")
  public boolean noChecksums;

  protected AbstractLoadOptions(int consumers, double rate) {
    this.consumers = consumers;
    this.rate = rate;
  }

  /** How many messages, from the first, are counted but not timed. */
  public abstract int warmupMessages();

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  protected final void checkLoad() {
    if (warmupMessages() >= messages) {
      throw new InvalidOptionException(
          "--warmup is %d; allowed: less than --messages, which is %d"
              .formatted(warmupMessages(), messages));
    }
    ackPolicy();
  }

  public final AckPolicy ackPolicy() {
    try {
      return AckPolicy.parse(ack);
    } catch (IllegalArgumentException e) {
      throw new InvalidOptionException("--ack is " + ack + "; allowed: " + AckPolicy.ALLOWED);
    }
  }

  /** For the result file; may be added to. */
  protected final Map<String, String> loadAsMap() {
    Map<String, String> map = new LinkedHashMap<>();
    map.put("consumers", Integer.toString(consumers));
    map.put("connections", Integer.toString(Math.min(connections, consumers)));
    map.put("messages", Integer.toString(messages));
    map.put("warmupMessages", Integer.toString(warmupMessages()));
    map.put("sizeBytes", Integer.toString(sizeBytes));
    map.put("messagesPerSecond", Double.toString(rate));
    map.put("ack", ackPolicy().toString());
    map.put("receiverQueue", Integer.toString(receiverQueue));
    map.put("subscribeWindow", Integer.toString(subscribeWindow));
    map.put("verifyChecksums", Boolean.toString(!noChecksums));
    return map;
  }
}
