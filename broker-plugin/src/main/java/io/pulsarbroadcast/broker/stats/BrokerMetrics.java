/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.metrics.MetricLabels;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.ServiceConfiguration;

/**
 * Joins the plugin's metrics to the broker's own /metrics. Called once, from the broker's start.
 */
public final class BrokerMetrics {

  private BrokerMetrics() {}

  /** Makes the metrics of this broker, which then are part of its answer. */
  public static BroadcastMetrics expose(PulsarService pulsar, BroadcastConfig config) {
    ServiceConfiguration broker = pulsar.getConfiguration();
    BroadcastMetrics metrics =
        new BroadcastMetrics(
            new MetricLabels(
                broker.getClusterName(),
                broker.isExposeTopicLevelMetricsInPrometheus(),
                config.exposeTopicLevelHistograms(),
                broker.isSplitTopicAndPartitionLabelInPrometheus()),
            () -> pendingTasks(pulsar));
    pulsar.addPrometheusRawMetricsProvider(stream -> stream.write(metrics.scrape()));
    return metrics;
  }

  private static int pendingTasks(PulsarService pulsar) {
    int pending = 0;
    for (EventExecutor loop : pulsar.getIoEventLoopGroup()) {
      if (loop instanceof SingleThreadEventExecutor executor) {
        pending += executor.pendingTasks();
      }
    }
    return pending;
  }
}
