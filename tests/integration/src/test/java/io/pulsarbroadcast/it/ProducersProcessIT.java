/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.engine.ProducerRun;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.server.BrokerCluster;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code ./bench producers} counts, on a cluster of two brokers. */
@Tag("complete")
@Order(2)
class ProducersProcessIT {
  private static final int PARTITIONS = 8;

  @Test
  void shouldCountWhatAProducerOpensAndPublishes() throws Exception {
    try (BrokerCluster cluster =
        BrokerCluster.start(BrokerExtension.completeHome().name("producers"), 2, PARTITIONS)) {
      String loaded = cluster.createTopic("loaded", PARTITIONS);

      ProducerRun.Result all = run(cluster, PARTITIONS, loaded, "all");
      assertThat(all.isComplete()).as(all::toString).isTrue();
      assertThat(all.expected()).isEqualTo(200);
      assertThat(all.producers()).isEqualTo(PARTITIONS);
      assertThat(all.partitionsByBroker()).as("both brokers").hasSize(2);
      assertThat(all.connections()).isEqualTo(2);
      assertThat(all.readyMillis()).isGreaterThan(all.createMillis());
      assertThat(all.brokerHeapBytes()).isPositive();

      ProducerRun.Result one = run(cluster, 1, loaded, "one");
      assertThat(one.isComplete()).as(one::toString).isTrue();
      assertThat(one.producers()).isEqualTo(1);
      assertThat(one.partitionsByBroker()).hasSize(1);
      assertThat(one.connections()).as("and one for lookups").isBetween(1, 2);
    }
  }

  private static ProducerRun.Result run(
      BrokerCluster cluster, int limit, String loaded, String topic) throws Exception {
    ProducerRun.Settings load = new ProducerRun.Settings(PARTITIONS, limit, 3, 100, 100, 2);
    ProducerRun run = new ProducerRun(cluster, load, RunListener.SILENT);
    run.prepare(loaded);
    return run.execute(loaded, cluster.createTopic(topic, PARTITIONS));
  }
}
