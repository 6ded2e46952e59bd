/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SubscriptionTypeTest {

  @Test
  void shouldHaveAConstantForEachOfPulsarsThatMapsBackToIt() {
    for (var pulsar : org.apache.pulsar.client.api.SubscriptionType.values()) {
      assertThat(SubscriptionType.fromPulsar(pulsar).toPulsar()).isEqualTo(pulsar);
    }
  }

  @Test
  void shouldMapBroadcastToTheWireTypeOfTheOrderedContract() {
    assertThat(SubscriptionType.Broadcast.toPulsar())
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Exclusive);
  }
}
