/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.netty.buffer.ByteBuf;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.metrics.PersistTimes;
import io.pulsarbroadcast.broker.metrics.Stage;
import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import io.pulsarbroadcast.broker.stats.BoundedStatsStream;
import io.pulsarbroadcast.broker.stats.BriefStats;
import io.pulsarbroadcast.broker.stats.BroadcastStats;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.Position;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.broker.stats.ClusterReplicationMetrics;
import org.apache.pulsar.broker.stats.NamespaceStats;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.policies.data.ManagedLedgerInternalStats.CursorStats;
import org.apache.pulsar.common.policies.data.PersistentTopicInternalStats;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;
import org.apache.pulsar.utils.StatsOutputStream;

/**
 * A persistent topic whose statistics stay usable with 100,000 Broadcast consumers, and which times
 * what becomes of its entries. Called by the broker, from any thread. As long as it has no
 * Broadcast subscription, all of this costs a look at a field (I9).
 */
abstract class MeteredTopic extends PersistentTopic {

  private final BroadcastMetrics metrics;
  private final Map<String, SubscriptionMetrics> ofSubscriptions = new ConcurrentHashMap<>();

  /** Null until the topic has a Broadcast subscription. */
  private volatile PersistTimes persistTimes;

  MeteredTopic(String topic, ManagedLedger ledger, BrokerService broker, BroadcastMetrics metrics) {
    super(topic, ledger, broker);
    this.metrics = metrics;
  }

  /** Makes the metrics of a Broadcast subscription that is being made. */
  SubscriptionMetrics metricsOf(String subscription) {
    SubscriptionMetrics made =
        metrics.subscription(TopicName.get(getName()).getNamespace(), getName(), subscription);
    ofSubscriptions.values().removeIf(SubscriptionMetrics::isClosed);
    ofSubscriptions.put(subscription, made);
    synchronized (ofSubscriptions) {
      // Two may be made at once, and are to read the same times.
      if (persistTimes == null) {
        persistTimes = new PersistTimes();
      }
    }
    return made;
  }

  /** When the last entries were persisted; asked for Broadcast subscriptions only. */
  PersistTimes persistTimes() {
    return persistTimes;
  }

  /** Runs on the producer's event loop and returns when the managed ledger has the entry. */
  @Override
  public void publishMessage(ByteBuf headersAndPayload, PublishContext context) {
    if (persistTimes == null) {
      super.publishMessage(headersAndPayload, context);
      return;
    }
    long startNanos = System.nanoTime();
    super.publishMessage(headersAndPayload, context);
    stage(Stage.ACCEPT, System.nanoTime() - startNanos);
  }

  @Override
  public void addComplete(Position position, ByteBuf entry, Object context) {
    PersistTimes times = persistTimes;
    if (times != null) {
      times.persisted(position.getLedgerId(), position.getEntryId());
    }
    super.addComplete(position, entry, context);
  }

  /** The broker tells how long a publish took, from its arrival. */
  @Override
  public void recordAddLatency(long latency, TimeUnit unit) {
    super.recordAddLatency(latency, unit);
    if (persistTimes != null) {
      stage(Stage.PERSIST, unit.toNanos(latency));
    }
  }

  private void stage(Stage stage, long nanos) {
    ofSubscriptions.values().forEach(each -> each.stage(stage, nanos));
  }

  /**
   * The statistics from which the broker makes its own metrics: it counts and sums the consumers
   * listed, so here as many are in the list. Up to 3.0, also those of a partition that operators
   * see.
   */
  @Override
  public TopicStatsImpl getStats(
      boolean preciseBacklog, boolean backlogSize, boolean earliestTimeInBacklog) {
    if (persistTimes == null || BroadcastStats.isForOperator()) {
      return super.getStats(preciseBacklog, backlogSize, earliestTimeInBacklog);
    }
    try (BriefStats brief = BriefStats.begin(false)) {
      return super.getStats(preciseBacklog, backlogSize, earliestTimeInBacklog);
    }
  }

  /** Once a minute: the broker updates rates, and writes down every consumer. */
  @Override
  public void updateRates(
      NamespaceStats namespaceStats,
      NamespaceBundleStats bundleStats,
      StatsOutputStream stream,
      ClusterReplicationMetrics replication,
      String namespace,
      boolean hydratePublishers) {
    if (persistTimes == null) {
      super.updateRates(
          namespaceStats, bundleStats, stream, replication, namespace, hydratePublishers);
      return;
    }
    Map<String, Integer> limits = new HashMap<>();
    broadcastSubscriptions()
        .forEach(each -> limits.put(each.getName(), each.broadcastStats().maxConsumers()));
    try (BriefStats brief = BriefStats.begin(true)) {
      super.updateRates(
          namespaceStats,
          bundleStats,
          limits.isEmpty() ? stream : new BoundedStatsStream(stream, limits),
          replication,
          namespace,
          hydratePublishers);
    }
  }

  /** Adds to the one managed cursor of a Broadcast subscription what can be said of the others. */
  @Override
  public CompletableFuture<PersistentTopicInternalStats> getInternalStats(
      boolean includeLedgerMetadata) {
    return super.getInternalStats(includeLedgerMetadata)
        .thenApply(
            stats -> {
              for (BroadcastSubscription each : broadcastSubscriptions()) {
                CursorStats cursor = stats.cursors.get(each.getCursor().getName());
                if (cursor != null) {
                  cursor.properties = each.broadcastStats().cursorProperties(cursor.properties);
                }
              }
              return stats;
            });
  }

  private List<BroadcastSubscription> broadcastSubscriptions() {
    List<BroadcastSubscription> found = new ArrayList<>();
    BROKER.forEachSubscription(
        this,
        (name, subscription) -> {
          if (subscription instanceof BroadcastSubscription broadcast) {
            found.add(broadcast);
          }
        });
    return found;
  }
}
