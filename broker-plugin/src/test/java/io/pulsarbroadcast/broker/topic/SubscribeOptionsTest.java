/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.BroadcastContract;
import java.util.Map;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.junit.jupiter.api.Test;

class SubscribeOptionsTest {

  private static SubscriptionOption.SubscriptionOptionBuilder option() {
    return SubscriptionOption.builder().subscriptionName("all");
  }

  @Test
  void shouldKeepAPositionOfAConsumerWithoutANameForAMinute() {
    assertThat(SubscribeOptions.briefly(option().build()))
        .containsOnly(Map.entry(BroadcastContract.TTL_PROPERTY, "60"));
  }

  @Test
  void shouldKeepItForAsLongAsItsConsumerSays() {
    Map<String, String> asked = Map.of(BroadcastContract.TTL_PROPERTY, "3600", "other", "kept");
    assertThat(SubscribeOptions.briefly(option().metadata(asked).build())).isEqualTo(asked);
  }

  @Test
  void shouldLeaveAConsumerWithANameAsItIs() {
    SubscriptionOption named = option().consumerName("car").build();
    assertThat(SubscribeOptions.named(named, null)).isSameAs(named);
  }
}
