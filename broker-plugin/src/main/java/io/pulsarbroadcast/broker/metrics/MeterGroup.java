/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * The meters with one set of labels: those of one subscription, or of all Broadcast subscriptions
 * of a namespace when the broker exposes no series per topic. Its counters go on while the group
 * has a member; with the last member all of it is gone.
 *
 * <p>Members and registration are guarded by {@link BroadcastMetrics}; meters may be used from any
 * thread.
 */
final class MeterGroup {

  /** Upper ends of the histograms' buckets. */
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(200),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  private final PrometheusMeterRegistry registry;
  private final Tags tags;
  private final Set<SubscriptionMetrics> members = new LinkedHashSet<>();
  private final List<Meter> meters = new ArrayList<>();

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
  final Timer persistToLastWrite;
  final Timer positionsWrites;
  final Map<Stage, Timer> stages = new EnumMap<>(Stage.class);

  MeterGroup(PrometheusMeterRegistry registry, Tags tags) {
    this.registry = registry;
    this.tags = tags;
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
    persistToLastWrite =
        timer(
            "persist.to.last.write",
            "From the answer of storage to the write of the last consumer's frame, per entry");
    positionsWrites = timer("positions.write", "Duration of writes to the positions log");
    for (Stage stage : Stage.values()) {
      stages.put(
          stage, timer("stage", "Duration of a stage of an entry's way", "stage", stage.label()));
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

  void add(SubscriptionMetrics member) {
    members.add(member);
  }

  /** Takes a member off; true when it was the last. */
  boolean remove(SubscriptionMetrics member) {
    return members.remove(member) && members.isEmpty();
  }

  void takeSamples() {
    members.forEach(SubscriptionMetrics::takeSample);
  }

  /** Takes the meters out of the registry. */
  void unregister() {
    meters.forEach(registry::remove);
  }

  private Counter counter(String name, String description, String... more) {
    return registered(
        Counter.builder(BroadcastMetrics.PREFIX + name)
            .description(description)
            .tags(tags.and(more))
            .register(registry));
  }

  private Timer timer(String name, String description, String... more) {
    return registered(
        Timer.builder(BroadcastMetrics.PREFIX + name)
            .description(description)
            .tags(tags.and(more))
            .serviceLevelObjectives(BUCKETS)
            .register(registry));
  }

  private void sum(
      String name, String description, ToDoubleFunction<SubscriptionMetrics> ofMember) {
    gauge(name, description, group -> group.values(ofMember).sum());
  }

  private void max(
      String name, String description, ToDoubleFunction<SubscriptionMetrics> ofMember) {
    gauge(name, description, group -> group.values(ofMember).max().orElse(0));
  }

  private void gauge(String name, String description, ToDoubleFunction<MeterGroup> value) {
    registered(
        Gauge.builder(BroadcastMetrics.PREFIX + name, this, value)
            .description(description)
            .tags(tags)
            .strongReference(true)
            .register(registry));
  }

  private DoubleStream values(ToDoubleFunction<SubscriptionMetrics> ofMember) {
    return members.stream().mapToDouble(ofMember);
  }

  private <M extends Meter> M registered(M meter) {
    meters.add(meter);
    return meter;
  }
}
