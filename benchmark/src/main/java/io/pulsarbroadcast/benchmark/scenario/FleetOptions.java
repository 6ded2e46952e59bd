/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import picocli.CommandLine.Option;

/** The load of a scenario, as picocli fills it in. One thread may call it. */
final class FleetOptions {
  @Option(
      names = "--consumers",
      paramLabel = "N",
      description = "Consumers of the one subscription (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 100_000)
  int consumers = 1_000;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "TCP connections they share (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 10_000)
  int connections = 16;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second (default: ${DEFAULT-VALUE}).")
  @Range(from = 0.1, to = 100_000)
  double rate = 20;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Size of a message (default: ${DEFAULT-VALUE}).")
  @Range(from = PayloadFormat.MIN_SIZE_BYTES, to = PayloadFormat.MAX_SIZE_BYTES)
  int sizeBytes = 10_240;
}
