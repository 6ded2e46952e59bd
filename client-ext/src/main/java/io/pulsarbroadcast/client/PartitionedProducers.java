/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.util.Objects;
import org.apache.pulsar.client.api.HashingScheme;
import org.apache.pulsar.client.api.MessageRoutingMode;
import org.apache.pulsar.client.api.ProducerBuilder;

/**
 * Producers of partitioned topics that open internal producers only for the partitions they use.
 *
 * <pre>{@code
 * Producer<String> producer =
 *     PartitionedProducers.limitPartitions(client.newProducer(Schema.STRING), 3)
 *         .topic("persistent://city/traffic/areas")
 *         .create();
 * }</pre>
 *
 * <p>It uses routers of the Pulsar client 3.0 and later. The idea is Yuri Mizushima's <i>Reduce
 * Redundant Producers from Partitioned Producer</i>. Any thread may call it.
 */
public final class PartitionedProducers {
  private static final String CLIENT_ROUTER =
      "org.apache.pulsar.client.impl.customroute.PartialRoundRobinMessageRouterImpl";

  private PartitionedProducers() {}

  /**
   * The same with Pulsar's default hashing of keys, {@link HashingScheme#JavaStringHash}.
   *
   * @throws IllegalArgumentException if {@code partitions} is less than 1
   * @throws UnsupportedOperationException if this Pulsar client lacks the routers
   */
  public static <T> ProducerBuilder<T> limitPartitions(ProducerBuilder<T> builder, int partitions) {
    return limitPartitions(builder, partitions, HashingScheme.JavaStringHash);
  }

  /**
   * Spreads messages without a key over a few partitions, which are chosen at random for each
   * topic, and sends those with a key where Pulsar's default router sends them: all producers of a
   * key agree. The producer of a partition is opened by the first message for it; until it is
   * connected, {@code sendAsync} waits.
   *
   * <p>It replaces the builder's message router and routing mode, and enables {@link
   * ProducerBuilder#enableLazyStartPartitionedProducers}. Call {@code loadConf} before it, because
   * that drops routers. The builder's producers and its clones share the choice of partitions.
   *
   * @param partitions at most, of those for messages without a key
   * @param keys how the topic's other producers hash keys: their {@code hashingScheme}; this
   *     builder's own does not count
   * @return the builder
   * @throws IllegalArgumentException if {@code partitions} is less than 1
   * @throws UnsupportedOperationException if this Pulsar client lacks the routers
   */
  public static <T> ProducerBuilder<T> limitPartitions(
      ProducerBuilder<T> builder, int partitions, HashingScheme keys) {
    Objects.requireNonNull(builder, "builder");
    Objects.requireNonNull(keys, "keys");
    if (partitions < 1) {
      throw new IllegalArgumentException("partitions is " + partitions + "; allowed: 1 or more");
    }
    requireClient();
    return builder
        .messageRoutingMode(MessageRoutingMode.CustomPartition)
        .messageRouter(new LimitedPartitionsRouter(partitions, keys))
        .enableLazyStartPartitionedProducers(true);
  }

  private static void requireClient() {
    try {
      Class.forName(CLIENT_ROUTER, false, PartitionedProducers.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException(
          "This Pulsar client has no " + CLIENT_ROUTER + "; use pulsar-client 3.0 or later", e);
    }
  }
}
