/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadRun;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.RunPlan;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I2 at the size of the demo, with the load generator of the benchmark module. */
@ExtendWith(BrokerExtension.class)
class ThousandConsumersIT {
  private static final int CONSUMERS = 1_000;
  private static final int MESSAGES = 60;

  @Test
  void shouldDeliverEveryMessageExactlyOnceInOrderToAThousandConsumers(Broker broker)
      throws Exception {
    LoadConfig config =
        LoadConfig.builder()
            .serviceUrl(broker.process().serviceUrl())
            .topic(Broker.newTopic())
            .broadcast("all")
            .consumers(CONSUMERS)
            .connections(16)
            .messages(MESSAGES)
            .build();

    RunResult result =
        new LoadRun("Broadcast", config, RunPlan.of(10_240, 10), RunListener.SILENT, null)
            .execute();

    assertThat(result.firstError()).isNull();
    assertThat(result.connectionsLost()).isZero();
    long deliveries = (long) CONSUMERS * MESSAGES;
    assertThat(result.delivery())
        .isEqualTo(new DeliveryCounts(MESSAGES, deliveries, deliveries, 0, 0, 0, 0, 0, 0, 0));
  }
}
