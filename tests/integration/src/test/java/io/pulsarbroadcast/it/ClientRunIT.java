/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.engine.ClientRun;
import io.pulsarbroadcast.benchmark.engine.ClientSettings;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code ./bench clients} counts: each message once, for each consumer and in order. */
@ExtendWith(BrokerExtension.class)
@Tag("complete")
class ClientRunIT {
  private static final int CONSUMERS = 30;

  @ParameterizedTest
  @EnumSource(names = {"defaults", "many"})
  void shouldCountEachMessageOnceForEachConsumer(ClientSettings settings, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    ClientRun.Load load = new ClientRun.Load(CONSUMERS, 1, 100, 20, 20, 10);

    ClientRun.Result result =
        new ClientRun(load, settings, RunListener.SILENT)
            .execute(io.pulsarbroadcast.benchmark.server.Broker.of(broker.process()), topic);

    assertThat(result.published()).isEqualTo(20);
    assertThat(result.received()).isEqualTo(20 * CONSUMERS);
    assertThat(result.outOfOrder()).isZero();
    assertThat(result.endToEndMicros().getTotalCount()).isEqualTo(10 * CONSUMERS);
    assertThat(result.connected().threads())
        .as("this one, and for I/O those of the publisher and of the consumers")
        .isGreaterThanOrEqualTo(3);
    assertThat(result.idle().millis()).isBetween(1_000L, 60_000L);
    Subscriptions.awaitBacklog(broker, topic, "clients", 0);
  }
}
