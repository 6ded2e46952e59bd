/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.ledger.ShadowLedgers;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import java.io.IOException;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.Topic;
import org.apache.pulsar.broker.service.TopicFactory;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;

/**
 * Makes the broker's topics able to carry Broadcast subscriptions. A factory that the broker was
 * configured with comes first; what it makes is left as it is. System topics do not come here.
 * Called from any thread.
 */
public final class BroadcastTopicFactory implements TopicFactory {

  private final TopicFactory configured;
  private final BroadcastConfig config;
  private final BroadcastMetrics metrics;
  private final ShadowLedgers shadows;

  /**
   * @param configured the broker's own factory, or null
   */
  public BroadcastTopicFactory(
      TopicFactory configured,
      BroadcastConfig config,
      BroadcastMetrics metrics,
      ShadowLedgers shadows) {
    this.configured = configured;
    this.config = config;
    this.metrics = metrics;
    this.shadows = shadows;
  }

  @Override
  public <T extends Topic> T create(
      String topic, ManagedLedger ledger, BrokerService broker, Class<T> type) {
    T made = configured == null ? null : configured.create(topic, ledger, broker, type);
    if (made != null) {
      return made;
    }
    if (type == PersistentTopic.class) {
      return type.cast(new BroadcastTopic(topic, ledger, broker, config, metrics, shadows));
    }
    // The broker makes what a factory does not.
    return null;
  }

  @Override
  public void close() throws IOException {
    if (configured != null) {
      configured.close();
    }
  }
}
