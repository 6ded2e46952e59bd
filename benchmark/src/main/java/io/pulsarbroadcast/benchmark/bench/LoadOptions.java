/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import picocli.CommandLine.Option;

/**
 * The load on one topic, as picocli fills it in. What is null and not given is taken from files.
 * One thread may call it.
 */
public class LoadOptions {
  @Option(names = "--consumers", paramLabel = "N", description = "Consumers of the one topic.")
  @Range(from = 1, to = 1_000_000)
  public Integer consumers;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "TCP connections they share; as many as consumers for one each.")
  @Range(from = 1, to = 1_000_000)
  public Integer connections;

  @Option(names = "--rate", paramLabel = "N", description = "Messages per second.")
  @Range(from = 0.01, to = 1_000_000)
  public Double rate;

  @Option(names = "--size", paramLabel = "BYTES", description = "Size of a message.")
  @Range(from = PayloadFormat.MIN_SIZE_BYTES, to = PayloadFormat.MAX_SIZE_BYTES)
  public Integer sizeBytes;

  /** With nothing but what is given. */
  LoadOptions() {}

  /** With the defaults of a command. */
  public LoadOptions(int consumers, int connections, double rate, int sizeBytes) {
    this.consumers = consumers;
    this.connections = connections;
    this.rate = rate;
    this.sizeBytes = sizeBytes;
  }

  /**
   * A thousand consumers, 20 messages of 10 KiB per second: what a small machine bears for long.
   */
  public static LoadOptions ofScenario() {
    return new LoadOptions(1_000, 16, 20, 10_240);
  }

  static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
