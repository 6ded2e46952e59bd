/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import io.openmessaging.benchmark.driver.BenchmarkConsumer;
import io.openmessaging.benchmark.driver.BenchmarkDriver.ConsumerInfo;
import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.SubscriptionKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * All consumers of a worker: creates them, and reports about them at the end. The driver calls it,
 * one method at a time.
 */
final class ConsumerGroup {
  static final String TYPE_PROPERTY = "pulsar.subscription.type";
  static final String TTL_PROPERTY = "pulsar.broadcast.cursor.ttl.seconds";

  private final PulsarClient client;
  private final AdminApi admin;
  private final DriverFile config;
  private final DriverFile.ConsumerSettings settings;
  private final Instant startedAt = Instant.now();
  private final ConnectTimes connectTimes = new ConnectTimes();
  private final Map<String, PartitionLedgers> partitions = new TreeMap<>();
  private final List<TrackedConsumer> consumers = Collections.synchronizedList(new ArrayList<>());
  private final Set<String> subscriptions = new HashSet<>();
  private boolean gapsCountable = true;
  private long retries;

  ConsumerGroup(PulsarClient client, AdminApi admin, DriverFile config) {
    this.client = client;
    this.admin = admin;
    this.config = config;
    this.settings = config.consumer;
  }

  /** Completes when all have subscribed. */
  CompletableFuture<List<BenchmarkConsumer>> create(List<ConsumerInfo> infos) {
    for (ConsumerInfo info : infos) {
      if (!subscriptions.add(info.getTopic() + "\n" + info.getSubscriptionName())) {
        if (isBroadcast()) {
          return CompletableFuture.failedFuture(
              new IllegalArgumentException(
                  "consumerPerSubscription is more than 1; allowed with Broadcast: 1, and"
                      + " subscriptionsPerTopic = the number of consumers"));
        }
        // Each of them is sent a part of the messages.
        gapsCountable = false;
      }
    }
    return partitionsOf(infos)
        .thenCompose(
            partitionsOfTopic -> {
              BoundedCreation creation =
                  new BoundedCreation(
                      settings.creationConcurrency,
                      settings.creationAttempts,
                      settings.creationTimeoutSeconds,
                      connectTimes);
              for (ConsumerInfo info : infos) {
                for (String partition : partitionsOfTopic.get(info.getTopic())) {
                  addTo(creation, info, partition);
                }
              }
              return creation
                  .start()
                  .whenComplete((nothing, error) -> retries += creation.retries());
            })
        .thenApply(created -> noOpConsumers(infos.size()));
  }

  private CompletableFuture<Map<String, List<String>>> partitionsOf(List<ConsumerInfo> infos) {
    Map<String, List<String>> found = new HashMap<>();
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    Set<String> topics = new HashSet<>();
    infos.forEach(info -> topics.add(info.getTopic()));
    for (String topic : topics) {
      all =
          all.thenCompose(done -> client.getPartitionsForTopic(topic))
              .thenAccept(
                  names -> {
                    found.put(topic, names);
                    names.forEach(
                        name -> partitions.computeIfAbsent(name, key -> new PartitionLedgers()));
                  });
    }
    return all.thenApply(done -> found);
  }

  private void addTo(BoundedCreation creation, ConsumerInfo info, String partition) {
    TrackedConsumer tracked =
        new TrackedConsumer(
            info.getSubscriptionName(),
            new PositionTrail(partitions.get(partition)),
            info.getConsumerCallback(),
            settings.ack);
    consumers.add(tracked);
    creation.add(
        "Consumer " + tracked.name() + " of " + partition, () -> subscribe(tracked, partition));
  }

  private CompletableFuture<Consumer<ByteBuffer>> subscribe(
      TrackedConsumer tracked, String partition) {
    ConsumerBuilder<ByteBuffer> builder =
        client
            .newConsumer(Schema.BYTEBUFFER)
            .topic(partition)
            .subscriptionInitialPosition(SubscriptionInitialPosition.Latest)
            .subscriptionMode(
                settings.durable ? SubscriptionMode.Durable : SubscriptionMode.NonDurable)
            .receiverQueueSize(settings.receiverQueueSize)
            .acknowledgmentGroupTime(settings.ackGroupMillis, TimeUnit.MILLISECONDS)
            .poolMessages(true)
            .messageListener(tracked);
    if (isBroadcast()) {
      builder
          .subscriptionName(settings.broadcastSubscription)
          .consumerName(tracked.name())
          .subscriptionType(SubscriptionType.Exclusive)
          .property(TYPE_PROPERTY, SubscriptionKind.Broadcast.name());
      if (settings.cursorTimeToLiveSeconds >= 0) {
        builder.property(TTL_PROPERTY, Long.toString(settings.cursorTimeToLiveSeconds));
      }
    } else {
      builder
          .subscriptionName(tracked.name())
          .subscriptionType(SubscriptionType.valueOf(settings.subscriptionType.name()));
    }
    return builder.subscribeAsync();
  }

  private boolean isBroadcast() {
    return settings.subscriptionType == SubscriptionKind.Broadcast;
  }

  private static List<BenchmarkConsumer> noOpConsumers(int count) {
    return Collections.nCopies(count, () -> {});
  }

  /** Waits until everything has arrived, for as long as the file allows, and writes the report. */
  void finish() throws IOException, InterruptedException {
    if (consumers.isEmpty()) {
      return;
    }
    List<TrackedConsumer> all = List.copyOf(consumers);
    boolean endKnown = gapsCountable && new TopicEnd(admin, config).await(partitions, all);
    StageTimers timers =
        isBroadcast() ? new BrokerTimers(admin).read(partitions.keySet()) : StageTimers.NONE;
    new DriverReport(config, startedAt, partitions.keySet(), connectTimes, retries, timers)
        .write(all, gapsCountable, endKnown);
  }
}
