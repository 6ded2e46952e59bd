/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.util.EnumMap;
import java.util.Map;

/**
 * Counters and gauges, per subscription unless the broker exposes no series per topic: at most 40
 * series, because a broker may have ten thousand subscriptions.
 */
@SuppressWarnings("deprecation") // see BroadcastMetrics
final class SubscriptionMeters extends MeterGroup {

  final Counter deliveries;
  final Counter deliveredBytes;
  final Counter redeliveries;
  final Counter acks;
  final Counter refusedAcks;
  final Counter refusedSubscribes;
  final Counter tailEntries;
  final Counter catchUpReads;
  final Counter catchUpEntries;
  final Counter catchUpBytes;
  final Counter readFailures;
  final Counter positionsBytes;
  final Counter positionsFailures;
  final Map<SkipCause, Counter> skipped = new EnumMap<>(SkipCause.class);

  SubscriptionMeters(PrometheusMeterRegistry registry, Tags tags) {
    super(registry, tags);
    deliveries = counter("deliveries", "Messages sent to consumers, redeliveries among them");
    deliveredBytes = counter("delivered.bytes", "Bytes of messages sent to consumers");
    redeliveries = counter("redeliveries", "Messages sent to a consumer that it was sent before");
    acks = counter("acks", "Message ids that consumers acknowledged, those refused among them");
    refusedAcks = counter("refused.acks", "Acknowledgements that were not taken");
    refusedSubscribes =
        counter("refused.subscribes", "Subscribes with new names that a limit refused");
    tailEntries = counter("tail.entries", "Entries that the tail reader brought");
    catchUpReads = counter("catch.up.reads", "Reads for consumers behind the tail");
    catchUpEntries = counter("catch.up.entries", "Entries read for consumers behind the tail");
    catchUpBytes = counter("catch.up.bytes", "Bytes read for consumers behind the tail");
    readFailures = counter("read.failures", "Failed reads of the topic, each tried again");
    positionsBytes = counter("positions.written.bytes", "Bytes written to the positions log");
    positionsFailures = counter("positions.write.failures", "Failed writes to the positions log");
    for (SkipCause cause : SkipCause.values()) {
      skipped.put(
          cause,
          counter(
              "skipped.entries",
              "Entries left out for consumers that had not acknowledged them",
              "cause",
              cause.label()));
    }
    registerGauges();
  }

  private void registerGauges() {
    sum("subscriptions", "Broadcast subscriptions", member -> 1);
    sum("consumers", "Connected consumers", member -> member.sample().lag().consumers());
    sum(
        "positions.waiting",
        "Positions that wait for their consumer's return",
        member -> member.sample().positionsWaiting());
    sum(
        "positions.lost",
        "Subscriptions whose stored positions are lost, and whose backlog is held until somebody decides",
        member -> member.sample().positionsLost() ? 1 : 0);
    sum("connections", "Connections with consumers", SubscriptionMetrics::connections);
    sum("laggards", "Consumers behind the tail", SubscriptionMetrics::laggards);
    sum(
        "convoys",
        "Groups of consumers behind the tail that one read serves",
        member -> member.sample().convoys());
    sum(
        "unwritable.connections",
        "Connections whose socket is full",
        SubscriptionMetrics::unwritableConnections);
    sum(
        "dispatch.queue.tasks",
        "Tasks that wait for the dispatch thread",
        member -> member.sample().queuedTasks());
    sum(
        "positions.store.bytes",
        "What the positions log takes on storage",
        member -> member.sample().positionsStoreBytes());
    max(
        "slowest.distance.entries",
        "Entries from the position of the slowest connected consumer to the end of the topic",
        member -> member.sample().lag().slowestEntries());
    max(
        "median.distance.entries",
        "Entries from the median position of connected consumers to the end of the topic",
        member -> member.sample().lag().medianEntries());
    registerAbsentGauges();
  }

  private void registerAbsentGauges() {
    max(
        "absent.distance.entries",
        "Entries from the furthest behind waiting position to the end of the topic",
        member -> member.sample().absent().distanceEntries());
    max(
        "absent.distance.bytes",
        "Bytes that storage holds after the furthest behind waiting position, as it estimates",
        member -> member.sample().absentBytes());
    max(
        "absent.age.seconds",
        "Since the consumer of the furthest behind waiting position left",
        member -> member.sample().absent().ageMillis() / 1_000.0);
    sum(
        "absent.held.entries",
        "Entries that only waiting positions need",
        member -> member.sample().absent().heldEntries());
    sum(
        "positions.expiring",
        "Waiting positions with a backlog that expire within a tenth of their time to live",
        member -> member.sample().absent().expiring());
  }
}
