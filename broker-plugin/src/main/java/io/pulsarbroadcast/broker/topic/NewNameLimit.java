/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.stats.RefusalReport;
import org.apache.pulsar.broker.service.BrokerServiceException.ServiceUnitNotReadyException;
import org.apache.pulsar.broker.service.SubscriptionOption;

/**
 * Refuses durable consumers of one topic whose connection brings too many names that have no
 * position yet. May be called from any thread.
 */
final class NewNameLimit {

  private final int perMinute;
  private final RefusalReport report;

  /**
   * @param perMinute names that one connection may bring; 0: any number
   */
  NewNameLimit(int perMinute, RefusalReport report) {
    this.perMinute = perMinute;
    this.report = report;
  }

  /**
   * Why a consumer is refused, whose client tries again by itself, or null.
   *
   * @param subscription what its subscription consists of; null: it is not Broadcast yet
   * @param newNames those of its connection
   */
  ServiceUnitNotReadyException refusal(
      SubscriptionOption option, SubscriptionParts subscription, NewNames newNames) {
    if (perMinute == 0
        || !option.isDurable()
        || (subscription != null && subscription.cursors().hasName(option.getConsumerName()))
        || newNames.add(perMinute)) {
      return null;
    }
    String reason =
        "The connection has brought as many new names within a minute as %s=%d allows, try again"
            .formatted(BroadcastConfig.MAX_NEW_NAMES, perMinute);
    report.refused(reason);
    if (subscription != null) {
      subscription.metrics().subscribeRefused();
    }
    return new ServiceUnitNotReadyException(reason);
  }
}
