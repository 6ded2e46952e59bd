/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.List;

/**
 * A point that NTT published ("Handling 100K Consumers with One Pulsar Topic", 2023; i3.4xlarge,
 * Pulsar 2.10, 10 KB at 1 msg/s). Immutable; any thread may call it.
 *
 * <p>The post's tables are pictures; these are the figures that its text gives.
 *
 * @param series legend
 * @param consumers of the topic
 * @param p99Millis of the end-to-end latency, or -1
 * @param connectSeconds until all were connected, or -1
 * @param words what the post says
 */
record Reference(
    String series, int consumers, double p99Millis, double connectSeconds, String words) {
  private static final String SHARED = "NTT: Shared, Pulsar 2.10";
  private static final String BROADCAST = "NTT: Broadcast";
  private static final String EXECUTOR = "NTT: Broadcast, executor fix";

  static final List<Reference> NTT =
      List.of(
          new Reference(SHARED, 20_000, 680, 240, "P99 0.68 s; connected in about 4 minutes"),
          new Reference(SHARED, 30_000, 1_000, -1, "P99 exceeded 1 second (drawn at 1 s)"),
          new Reference(
              SHARED,
              40_000,
              4_000,
              1_200,
              "P99 topped 4 seconds (drawn at 4 s); connected in nearly 20 minutes"),
          new Reference(
              SHARED,
              100_000,
              -1,
              8_000,
              "failed to connect; 8,000 seconds is NTT's own extrapolation"),
          new Reference(BROADCAST, 40_000, 667, -1, "P99 almost 6 times faster (drawn at 4 s / 6)"),
          new Reference(BROADCAST, 100_000, -1, 77.3, "connected in about 77.3 seconds"),
          new Reference(
              EXECUTOR,
              100_000,
              -1,
              38.7,
              "connection time reduced by half (drawn at 77.3 s / 2)"));
}
