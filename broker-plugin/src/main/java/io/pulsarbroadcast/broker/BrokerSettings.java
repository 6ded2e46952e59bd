/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import org.apache.pulsar.broker.ServiceConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker's own settings that do not go with Broadcast subscriptions. Stateless; called once,
 * from the broker's start, before a topic is loaded or a connection accepted.
 */
final class BrokerSettings {

  private static final Logger log = LoggerFactory.getLogger(BrokerSettings.class);

  private BrokerSettings() {}

  /** Changes in memory what would lose positions, and warns of what makes consumers slow. */
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
  }
}
