/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import org.apache.pulsar.client.api.PulsarClientException;

/**
 * The failure of a Broadcast subscribe on a broker without the pulsar-broadcast plugin.
 *
 * <p>Such a broker would have made an ordinary Exclusive consumer of it. Trying again does not
 * help, as {@link PulsarClientException#isRetriableError} says; an operator has to install the
 * plugin.
 */
public class BroadcastNotSupportedException extends PulsarClientException.NotSupportedException {

  BroadcastNotSupportedException(String topic) {
    super(
        "The broker that serves topic "
            + topic
            + " has no pulsar-broadcast plugin, so it has no Broadcast subscriptions. To install"
            + " it: copy the pulsar-broadcast-broker NAR into the broker's interceptors/ folder,"
            + " set brokerInterceptors=pulsar-broadcast in its configuration, and restart it.");
  }

  /** The same failure with the stack trace of the caller. */
  BroadcastNotSupportedException(BroadcastNotSupportedException cause) {
    super(cause.getMessage());
    initCause(cause);
  }
}
