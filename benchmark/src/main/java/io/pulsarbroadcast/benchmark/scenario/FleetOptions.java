/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import picocli.CommandLine.Option;

/** The load of a scenario, as picocli fills it in. One thread may call it. */
final class FleetOptions {
  @Option(
      names = "--consumers",
      paramLabel = "N",
      description = "Consumers of the one subscription (default: ${DEFAULT-VALUE}).")
  int consumers = 1_000;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "TCP connections they share (default: ${DEFAULT-VALUE}).")
  int connections = 16;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second (default: ${DEFAULT-VALUE}).")
  double rate = 20;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Size of a message (default: ${DEFAULT-VALUE}).")
  int sizeBytes = 10_240;

  void check(CommonOptions common) {
    common.range("--consumers", consumers, 1, 100_000);
    common.range("--connections", connections, 1, 10_000);
    common.range("--rate", rate, 0.1, 100_000);
    common.messageSize(sizeBytes);
  }
}
