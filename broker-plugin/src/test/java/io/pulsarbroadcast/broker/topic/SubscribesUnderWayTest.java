/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SubscribesUnderWayTest {

  private final SubscribesUnderWay subscribes = new SubscribesUnderWay();

  /** I1: the other one, which is still coming, is to begin at its own initial position. */
  @Test
  void shouldTakeASubscriptionForNewUntilTheLastOfThoseWhoMakeItHasCome() {
    subscribes.begin("all", true);
    subscribes.begin("all", true);
    subscribes.begin("all", false);
    subscribes.madeNew("all");
    assertThat(subscribes.isNew("all")).isTrue();

    subscribes.madeNew("all");
    assertThat(subscribes.isNew("all")).isFalse();
    assertThat(subscribes.isUnderWay("all")).isTrue();
  }

  /** A subscription that nobody is connected to is not deleted while one of them is coming. */
  @Test
  void shouldKnowOfASubscribeUntilTheLastOfThoseUnderWayHasEnded() {
    subscribes.begin("all", false);
    subscribes.begin("all", false);
    assertThat(subscribes.isNew("all")).isFalse();
    subscribes.end("all");
    assertThat(subscribes.isUnderWay("all")).isTrue();
    assertThat(subscribes.isUnderWay("others")).isFalse();

    subscribes.end("all");
    assertThat(subscribes.isUnderWay("all")).isFalse();
  }
}
