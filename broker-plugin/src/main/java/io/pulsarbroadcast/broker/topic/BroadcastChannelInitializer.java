/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.service.PulsarChannelInitializer;
import org.apache.pulsar.broker.service.ServerCnx;

/**
 * Gives every connection of the broker a {@link BroadcastServerCnx}. Called by Netty for each new
 * connection.
 */
public final class BroadcastChannelInitializer extends PulsarChannelInitializer {

  /** For the connections of one listener of the broker. */
  public BroadcastChannelInitializer(PulsarService pulsar, PulsarChannelOptions options)
      throws Exception {
    super(pulsar, options);
  }

  @Override
  protected ServerCnx newServerCnx(PulsarService pulsar, String listenerName) {
    return new BroadcastServerCnx(pulsar, listenerName);
  }
}
