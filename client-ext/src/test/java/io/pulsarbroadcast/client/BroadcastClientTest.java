/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BroadcastClientTest {
  private final FakePulsar pulsar = new FakePulsar();

  @Test
  void shouldRefuseToWrapNullAndSaySo() {
    assertThatThrownBy(() -> BroadcastClient.wrap(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("client")
        .hasMessageContaining("null");
  }

  @Test
  void shouldWrapOnlyOnce() {
    assertThat(BroadcastClient.wrap(pulsar.broadcast)).isSameAs(pulsar.broadcast);
  }

  @Test
  void shouldPassEverythingElseToTheWrappedClient() throws Exception {
    PulsarClient client = pulsar.broadcast;
    client.newProducer(Schema.BYTES);
    client.newReader();
    client.updateServiceUrl("pulsar://elsewhere:6650");

    assertThat(pulsar.clientCalls)
        .containsExactly(
            new FakePulsar.Call("newProducer", List.of(Schema.BYTES)),
            new FakePulsar.Call("newReader", List.of()),
            new FakePulsar.Call("updateServiceUrl", List.of("pulsar://elsewhere:6650")));
    pulsar.closed = true;
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  @SuppressWarnings("deprecation") // a default method
  void shouldPassDefaultMethodsToTheWrappedClient() {
    pulsar.broadcast.getPartitionsForTopic("t");
    assertThat(pulsar.clientCalls)
        .containsExactly(new FakePulsar.Call("getPartitionsForTopic", List.of("t", true)));
  }

  @Test
  void shouldThrowWhatTheWrappedClientThrows() {
    assertThatThrownBy(pulsar.broadcast::close)
        .isExactlyInstanceOf(PulsarClientException.class)
        .hasMessage("cannot close");
  }

  @Test
  void shouldReturnBroadcastBuildersThroughPulsarsInterfaceToo() {
    PulsarClient client = pulsar.broadcast;
    assertThat(client.newConsumer()).isInstanceOf(BroadcastConsumerBuilder.class);
    assertThat(client.newConsumer(Schema.STRING)).isInstanceOf(BroadcastConsumerBuilder.class);
  }

  @Test
  @SuppressWarnings("SelfAssertion") // equals of a proxy is code of ours
  void shouldBeEqualToItselfOnlyAndSayWhatItWraps() {
    BroadcastClient other = BroadcastClient.wrap(pulsar.client);
    assertThat(pulsar.broadcast).isEqualTo(pulsar.broadcast).isNotEqualTo(other);
    assertThat(pulsar.broadcast.equals(null)).isFalse();
    assertThat(pulsar.broadcast.hashCode()).isEqualTo(pulsar.broadcast.hashCode());
    assertThat(pulsar.broadcast).hasToString("BroadcastClient[the fake]");
    assertThat(pulsar.broadcast.newConsumer())
        .hasToString("BroadcastConsumerBuilder[the fake builder]");
  }
}
