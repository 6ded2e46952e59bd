/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.Run;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
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
    Plan plan =
        Plan.of(
            "Broadcast",
            CONSUMERS,
            16,
            MESSAGES,
            0,
            10_240,
            10,
            () -> LoadConfig.builder().broadcast("all"));

    RunResult result =
        new Run(
                plan,
                io.pulsarbroadcast.benchmark.server.Broker.of(broker.process()),
                Broker.newTopic(),
                RunListener.SILENT)
            .execute();

    assertThat(result.firstError()).isNull();
    assertThat(result.connectionsLost()).isZero();
    long deliveries = (long) CONSUMERS * MESSAGES;
    assertThat(result.delivery())
        .isEqualTo(new DeliveryCounts(MESSAGES, deliveries, deliveries, 0, 0, 0, 0, 0, 0, 0));
  }
}
