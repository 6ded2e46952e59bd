/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SubscriptionLifecycleTest {

  private final SubscriptionLifecycle lifecycle =
      new SubscriptionLifecycle("topic", "subscription", null, null);

  @Test
  void shouldHaveOneFenceAtATime() {
    assertThat(lifecycle.fence()).isTrue();
    assertThat(lifecycle.fence()).isFalse();
    assertThat(lifecycle.isFenced()).isTrue();

    lifecycle.unfence();
    assertThat(lifecycle.isFenced()).isFalse();
    assertThat(lifecycle.fence()).isTrue();
  }

  /** I7: a consumer that came now would be on a subscription that is closed. */
  @Test
  void shouldTakeNobodyWhileItIsClosedWhenAnotherLiftsItsFence() {
    lifecycle.fence();
    lifecycle.close();
    lifecycle.unfence();

    assertThat(lifecycle.isFenced()).isTrue();
    assertThat(lifecycle.fence()).isFalse();
  }
}
