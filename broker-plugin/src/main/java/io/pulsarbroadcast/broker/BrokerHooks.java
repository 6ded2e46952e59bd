/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.compat.BrokerVersion;
import io.pulsarbroadcast.broker.compat.Linkage;
import io.pulsarbroadcast.broker.ledger.DeletedTopics;
import io.pulsarbroadcast.broker.ledger.ShadowLedgers;
import io.pulsarbroadcast.broker.stats.BrokerMetrics;
import io.pulsarbroadcast.broker.stats.ConsumerLogFilter;
import io.pulsarbroadcast.broker.topic.BroadcastChannelInitializer;
import io.pulsarbroadcast.broker.topic.BroadcastTopicFactory;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.intercept.BrokerInterceptor;
import org.apache.pulsar.broker.intercept.BrokerInterceptors;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.TopicFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wires the plugin into a starting broker: its topics come from {@link BroadcastTopicFactory}, its
 * connections from {@link BroadcastChannelInitializer}. Called once, from the broker's start,
 * before a port is bound or a topic loaded.
 */
public final class BrokerHooks {

  private static final Logger log = LoggerFactory.getLogger(BrokerHooks.class);

  private BrokerHooks() {}

  /**
   * Installs the hooks, or none of them.
   *
   * @throws IllegalStateException in one sentence, with the broker's version and what does not fit
   */
  public static void install(PulsarService pulsar, BroadcastConfig config) {
    BrokerService broker = pulsar.getBrokerService();
    try {
      BrokerLine.verify();
      Linkage.verify(pulsar.getBrokerVersion());
      Field topicFactory = BrokerService.class.getDeclaredField("topicFactory");
      topicFactory.setAccessible(true);
      TopicFactory next = (TopicFactory) topicFactory.get(broker);
      ShadowLedgers shadows = new ShadowLedgers();
      topicFactory.set(
          broker,
          new BroadcastTopicFactory(next, config, BrokerMetrics.expose(pulsar, config), shadows));
      pulsar.getLocalMetadataStore().registerListener(shadows);
      broker.addTopicEventListener(new DeletedTopics(broker));
      broker.setPulsarChannelInitializerFactory(BroadcastChannelInitializer::new);
    } catch (ReflectiveOperationException
        | LinkageError
        | IllegalStateException
        | UncheckedIOException e) {
      IllegalStateException refusal =
          BrokerVersion.refusal(pulsar.getBrokerVersion(), e.getMessage());
      refusal.initCause(e);
      throw refusal;
    }
    BrokerSettings.adapt(pulsar.getConfiguration());
    leaveHotPath(pulsar, broker);
    ConsumerLogFilter.install(broker);
    log.info(
        "Broadcast subscriptions are available on broker {}: {}",
        pulsar.getBrokerVersion(),
        config);
  }

  /**
   * A broker with any interceptor copies every acknowledgement and calls out per message, on all
   * topics (I9). Ours has nothing to hear, so it goes when it is the only one.
   */
  private static void leaveHotPath(PulsarService pulsar, BrokerService broker) {
    BrokerInterceptor installed = pulsar.getBrokerInterceptor();
    if (installed instanceof BrokerInterceptors all && all.getInterceptors().size() == 1) {
      broker.setInterceptor(null);
    }
  }
}
