/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TypeExchangeTest {

  private final TypeExchange types = new TypeExchange(null, null, null);

  /** I1: the other one, which is still coming, is to begin at its own initial position. */
  @Test
  void shouldTakeASubscriptionForNewUntilTheLastOfThoseWhoMakeItHasCome() {
    types.subscribingToNew("all");
    types.subscribingToNew("all");
    types.subscribedToNew("all");
    assertThat(types.isNew("all")).isTrue();

    types.subscribedToNew("all");
    assertThat(types.isNew("all")).isFalse();
  }

  /** A subscription that nobody is connected to is not deleted while one of them is coming. */
  @Test
  void shouldKnowOfASubscribeUntilTheLastOfThoseUnderWayHasEnded() {
    types.subscribing("all");
    types.subscribing("all");
    types.subscribed("all");
    assertThat(types.isSubscribing("all")).isTrue();
    assertThat(types.isSubscribing("others")).isFalse();

    types.subscribed("all");
    assertThat(types.isSubscribing("all")).isFalse();
  }
}
