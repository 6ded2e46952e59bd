/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopicLookupTest {
  private static TopicLookup lookup(String serviceUrl) {
    LoadConfig config =
        LoadConfig.builder()
            .serviceUrl(serviceUrl)
            .topic("persistent://public/default/topic")
            .broadcast("all")
            .build();
    return new TopicLookup(
        config, new FleetCounters(1), new CommandWriter(UnpooledByteBufAllocator.DEFAULT));
  }

  @Test
  void shouldGoOnWithTheNextAddressOfTheServiceAndBeginAnewAfterTheLast() {
    TopicLookup lookup = lookup("pulsar://one:6650,two, three:6652");
    List<String> targets = new ArrayList<>();
    for (int attempt = 0; attempt < 4; attempt++) {
      targets.add(lookup.target().toString());
      lookup.startOver();
    }
    assertThat(targets).containsExactly("one:6650", "two:6650", "three:6652", "one:6650");
  }

  @Test
  void shouldComeBackToTheOnlyAddress() {
    TopicLookup lookup = lookup("pulsar://one:6650");
    lookup.startOver();
    assertThat(lookup.target()).hasToString("one:6650");
  }

  @Test
  void shouldNameWhatIsWrongWithAnAddress() {
    assertThatThrownBy(() -> lookup("pulsar://one:6650,"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'pulsar://'; allowed: pulsar://host:port, and of several"
                + " pulsar://host:port,host:port");
  }
}
