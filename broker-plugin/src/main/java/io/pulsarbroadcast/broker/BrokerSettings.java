/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker's own settings that do not go with Broadcast subscriptions. Stateless; called once,
 * from the broker's start, before a topic is loaded or a connection accepted.
 */
final class BrokerSettings {

  private static final Logger log = LoggerFactory.getLogger(BrokerSettings.class);

  /**
   * Of late versions of Pulsar 4.0, and from 4.1 on, so not in the configuration's class of 3.0.
   */
  private static final String PAUSING = "pulsarChannelPauseReceivingRequestsIfUnwritable";

  private BrokerSettings() {}

  /**
   * Changes in memory what would lose positions, and warns of what makes consumers slow or
   * disconnects all of a topic.
   */
  static void adapt(ServiceConfiguration configuration) {
    if (configuration.isLazyCursorRecovery()) {
      // Nothing else asks for it but BrokerService.getManagedLedgerConfig, for each load of a
      // topic; it cannot be set while the broker runs.
      configuration.setLazyCursorRecovery(false);
      log.warn(
          "lazyCursorRecovery=true is not possible with Broadcast subscriptions: a topic would be"
              + " loaded before it is known which of its subscriptions are Broadcast, and their"
              + " positions would be lost. Topics load as with lazyCursorRecovery=false");
    }
    if (Boolean.parseBoolean(configuration.getProperties().getProperty(PAUSING, "").trim())) {
      log.warn(
          "{}=true makes Broadcast consumers slow: their messages fill a connection's socket again"
              + " and again, and then the broker takes no acknowledgements and flow permits from"
              + " it, and few for some seconds after. Set it to false, Pulsar's default;"
              + " broadcastConnectionMaxPendingBytes limits what waits for a socket",
          PAUSING);
    }
    warnOfMoves(configuration);
  }

  /** One line, because the settings are Pulsar's defaults, and small topics hardly notice. */
  private static void warnOfMoves(ServiceConfiguration configuration) {
    if (!configuration.isLoadBalancerEnabled()) {
      return;
    }
    List<String> causes = new ArrayList<>();
    if (configuration.isLoadBalancerAutoBundleSplitEnabled()
        && configuration.isLoadBalancerAutoUnloadSplitBundlesEnabled()
        && !isExtensible(configuration)) {
      causes.add(
          "loadBalancerAutoUnloadSplitBundlesEnabled=true, when it splits a bundle of several"
              + " topics above loadBalancerNamespaceBundleMaxSessions="
              + configuration.getLoadBalancerNamespaceBundleMaxSessions()
              + ", ...MaxMsgRate="
              + configuration.getLoadBalancerNamespaceBundleMaxMsgRate()
              + " or ...MaxBandwidthMbytes="
              + configuration.getLoadBalancerNamespaceBundleMaxBandwidthMbytes());
    }
    if (configuration.isLoadBalancerSheddingEnabled()) {
      causes.add(
          "loadBalancerSheddingEnabled=true, when it takes the busiest bundle from a busy broker");
    }
    if (!causes.isEmpty()) {
      log.warn(
          "The load balancer disconnects all consumers of a topic: {}. For topics with thousands of"
              + " consumers set these to false, see \"Fleets\" in docs/operate.md",
          String.join("; ", causes));
    }
  }

  /** Its splits leave topics where they are. */
  private static boolean isExtensible(ServiceConfiguration configuration) {
    return ExtensibleLoadManagerImpl.class
        .getName()
        .equals(configuration.getLoadManagerClassName());
  }
}
