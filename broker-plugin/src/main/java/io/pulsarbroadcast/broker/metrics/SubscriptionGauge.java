/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.Collection;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** What is looked up of Broadcast subscriptions when somebody asks. */
enum SubscriptionGauge {
  SUBSCRIPTIONS("subscriptions", "Broadcast subscriptions", Of.ALL, member -> 1),
  CONSUMERS(
      "consumers", "Connected consumers", Of.ALL, member -> member.sample().lag().consumers()),
  POSITIONS_WAITING(
      "positions_waiting",
      "Positions that wait for their consumer's return",
      Of.ALL,
      member -> member.sample().positionsWaiting()),
  POSITIONS_LOST(
      "positions_lost",
      "Subscriptions whose stored positions are lost, and whose backlog is held until somebody decides",
      Of.ALL,
      member -> member.sample().positionsLost() ? 1 : 0),
  CONNECTIONS(
      "connections", "Connections with consumers", Of.ALL, SubscriptionMetrics::connections),
  LAGGARDS("laggards", "Consumers behind the tail", Of.ALL, SubscriptionMetrics::laggards),
  CONVOYS(
      "convoys",
      "Groups of consumers behind the tail that one read serves",
      Of.ALL,
      member -> member.sample().convoys()),
  UNWRITABLE_CONNECTIONS(
      "unwritable_connections",
      "Connections whose socket is full",
      Of.ALL,
      SubscriptionMetrics::unwritableConnections),
  DISPATCH_QUEUE_TASKS(
      "dispatch_queue_tasks",
      "Tasks that wait for the dispatch thread",
      Of.ALL,
      member -> member.sample().queuedTasks()),
  POSITIONS_STORE_BYTES(
      "positions_store_bytes",
      "What the positions log takes on storage",
      Of.ALL,
      member -> member.sample().positionsStoreBytes()),
  SLOWEST_DISTANCE_ENTRIES(
      "slowest_distance_entries",
      "Entries from the position of the slowest connected consumer to the end of the topic",
      Of.LARGEST,
      member -> member.sample().lag().slowestEntries()),
  MEDIAN_DISTANCE_ENTRIES(
      "median_distance_entries",
      "Entries from the median position of connected consumers to the end of the topic",
      Of.LARGEST,
      member -> member.sample().lag().medianEntries()),
  ABSENT_DISTANCE_ENTRIES(
      "absent_distance_entries",
      "Entries from the furthest behind waiting position to the end of the topic",
      Of.LARGEST,
      member -> member.sample().absent().distanceEntries()),
  ABSENT_DISTANCE_BYTES(
      "absent_distance_bytes",
      "Bytes that storage holds after the furthest behind waiting position, as it estimates",
      Of.LARGEST,
      member -> member.sample().absentBytes()),
  ABSENT_AGE_SECONDS(
      "absent_age_seconds",
      "Since the consumer of the furthest behind waiting position left",
      Of.LARGEST,
      member -> member.sample().absent().ageMillis() / 1_000.0),
  ABSENT_HELD_ENTRIES(
      "absent_held_entries",
      "Entries that only waiting positions need",
      Of.ALL,
      member -> member.sample().absent().heldEntries()),
  POSITIONS_EXPIRING(
      "positions_expiring",
      "Waiting positions with a backlog that expire within a tenth of their time to live",
      Of.ALL,
      member -> member.sample().absent().expiring());

  /** What a namespace has of its subscriptions. */
  private enum Of {
    ALL,
    LARGEST
  }

  private final String seriesName;
  private final String help;
  private final Of of;
  private final ToDoubleFunction<SubscriptionMetrics> ofMember;

  SubscriptionGauge(
      String seriesName, String help, Of of, ToDoubleFunction<SubscriptionMetrics> ofMember) {
    this.seriesName = seriesName;
    this.help = help;
    this.of = of;
    this.ofMember = ofMember;
  }

  /** Without the prefix. */
  String seriesName() {
    return seriesName;
  }

  String help() {
    return help;
  }

  /** The sum of the members, or the largest. */
  double of(Collection<SubscriptionMetrics> members) {
    DoubleStream values = members.stream().mapToDouble(ofMember);
    return of == Of.ALL ? values.sum() : values.max().orElse(0);
  }
}
