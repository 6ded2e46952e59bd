/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The consumers of all partitions of a topic. One thread may call it. */
final class Fleets implements AutoCloseable {
  private static final Duration UNSUBSCRIBE_TIMEOUT = Duration.ofMinutes(2);

  private final List<ConsumerFleet> fleets = new ArrayList<>();
  private final List<LoadConfig> configs;

  Fleets(List<LoadConfig> configs) {
    this.configs = configs;
    configs.forEach(config -> fleets.add(new ConsumerFleet(config)));
  }

  void connect(Duration timeout) throws FleetException, InterruptedException {
    fleets.forEach(ConsumerFleet::start);
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    for (ConsumerFleet fleet : fleets) {
      fleet.awaitSubscribed(Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime())));
    }
  }

  List<LoadConfig> configs() {
    return configs;
  }

  long received() {
    return fleets.stream().mapToLong(ConsumerFleet::received).sum();
  }

  List<FleetSnapshot> snapshots() {
    return fleets.stream().map(ConsumerFleet::snapshot).toList();
  }

  void unsubscribe() throws InterruptedException {
    for (ConsumerFleet fleet : fleets) {
      fleet.unsubscribe(UNSUBSCRIBE_TIMEOUT);
    }
  }

  static Histogram endToEndMicros(List<FleetSnapshot> snapshots) {
    Histogram sum = new Histogram(PublishStats.MAX_MICROS, PublishStats.DIGITS);
    snapshots.forEach(snapshot -> sum.add(snapshot.endToEndMicros()));
    return sum;
  }

  static Histogram connectMicros(List<FleetSnapshot> snapshots) {
    Histogram sum = new Histogram(PublishStats.MAX_MICROS, PublishStats.DIGITS);
    snapshots.forEach(snapshot -> sum.add(snapshot.connectMicros()));
    return sum;
  }

  /** One value per message from {@code warmupMessages} of each partition on. */
  static Histogram lastReceiverMicros(List<FleetSnapshot> snapshots, int warmupMessages) {
    Histogram sum = new Histogram(PublishStats.MAX_MICROS, PublishStats.DIGITS);
    for (FleetSnapshot snapshot : snapshots) {
      for (int i = warmupMessages; i < snapshot.receivers().size(); i++) {
        if (snapshot.receivers().get(i) > 0) {
          sum.recordValue(snapshot.lastReceiverMicros().get(i));
        }
      }
    }
    return sum;
  }

  /** Sums over partitions. */
  static DeliveryCounts delivery(List<FleetSnapshot> snapshots, List<BitSet> acknowledged) {
    DeliveryCounts sum = new DeliveryCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < snapshots.size(); i++) {
      DeliveryCounts counts = DeliveryCounts.of(snapshots.get(i), acknowledged.get(i));
      sum =
          new DeliveryCounts(
              sum.published() + counts.published(),
              sum.expected() + counts.expected(),
              sum.received() + counts.received(),
              sum.missing() + counts.missing(),
              sum.duplicates() + counts.duplicates(),
              sum.outOfOrder() + counts.outOfOrder(),
              sum.skipped() + counts.skipped(),
              sum.corrupt() + counts.corrupt(),
              sum.unexpected() + counts.unexpected(),
              sum.unacknowledged() + counts.unacknowledged());
    }
    return sum;
  }

  @Override
  public void close() {
    fleets.forEach(ConsumerFleet::close);
  }
}
