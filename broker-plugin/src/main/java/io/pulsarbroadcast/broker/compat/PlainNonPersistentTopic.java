/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.pulsarbroadcast.broker.BroadcastContract;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.BrokerServiceException.NotAllowedException;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.nonpersistent.NonPersistentTopic;

/**
 * A non-persistent topic that refuses Broadcast subscribes, which would silently be Exclusive ones
 * otherwise.
 */
final class PlainNonPersistentTopic extends NonPersistentTopic {

  PlainNonPersistentTopic(String topic, BrokerService broker) {
    super(topic, broker);
  }

  @Override
  public CompletableFuture<Consumer> subscribe(SubscriptionOption option) {
    Map<String, String> properties = option.getMetadata();
    if (properties != null && properties.containsKey(BroadcastContract.TYPE_PROPERTY)) {
      return CompletableFuture.failedFuture(
          new NotAllowedException(
              "Broadcast subscriptions need a persistent topic, "
                  + getName()
                  + " is non-persistent"));
    }
    return super.subscribe(option);
  }
}
