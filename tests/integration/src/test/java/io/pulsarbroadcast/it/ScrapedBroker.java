/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

/**
 * Gives tests of metrics a shared broker with few topics, and with histograms of each. The answer
 * of the broker that all classes share grows to 15 MB, which a busy machine does not make within
 * Prometheus' ten seconds.
 */
final class ScrapedBroker extends BrokerExtension {

  @Override
  Broker start() {
    return Broker.start(newBroker().setting("broadcastExposeTopicLevelHistograms", "true"));
  }
}
