/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.impl.ClientBuilderImpl;
import org.apache.pulsar.client.impl.PulsarClientImpl;

/**
 * Stock clients with one timer for all. A client's own wakes up a thousand times per second: those
 * of the classes that run at a time took a sixth of what all tests take in this JVM. Any thread may
 * call it.
 */
public final class SharedTimer {
  private static final Timer TIMER =
      new HashedWheelTimer(
          new DefaultThreadFactory("shared-timer", true), 1, TimeUnit.MILLISECONDS);

  private SharedTimer() {}

  /** What {@link ClientBuilder#build()} makes, but for its timer. */
  public static PulsarClient build(ClientBuilder client) throws PulsarClientException {
    return PulsarClientImpl.builder()
        .conf(((ClientBuilderImpl) client).getClientConfigurationData())
        .timer(TIMER)
        .build();
  }
}
