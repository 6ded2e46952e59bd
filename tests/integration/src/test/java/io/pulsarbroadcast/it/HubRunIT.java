/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.engine.HubRun;
import io.pulsarbroadcast.benchmark.engine.Sessions;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code ./bench hub} counts: each message once for each session. */
@ExtendWith(BrokerExtension.class)
@Tag("complete")
@Execution(ExecutionMode.CONCURRENT)
class HubRunIT {
  private static final int SESSIONS = 20;
  private static final int CONNECTIONS = 2;
  private static final int MESSAGES = 30;
  private static final int WARMUP = 10;
  private static final int MESSAGE_BYTES = 1_000;

  @ParameterizedTest
  @EnumSource
  void shouldCountEachDeliveryOnce(Sessions kind, Broker broker) throws Exception {
    HubRun.Settings load =
        new HubRun.Settings(SESSIONS, CONNECTIONS, 50, MESSAGE_BYTES, MESSAGES, WARMUP);

    HubRun.Result result =
        new HubRun(load, kind, RunListener.SILENT)
            .execute(
                io.pulsarbroadcast.benchmark.server.Broker.of(broker.process()), Broker.newTopic());

    assertThat(result.isComplete()).as("%s", result).isTrue();
    assertThat(result.expected()).isEqualTo(SESSIONS * MESSAGES);
    assertThat(result.timedDeliveries()).isEqualTo(SESSIONS * (MESSAGES - WARMUP));
    assertThat(result.endToEndMicros().getTotalCount()).isEqualTo(result.timedDeliveries());
    assertThat(result.endToEndMicros().getMinValue()).isPositive();
    int receivers = kind == Sessions.CONSUMERS ? SESSIONS : CONNECTIONS;
    assertThat(result.bytesOut())
        .isBetween(
            (long) receivers * MESSAGES * MESSAGE_BYTES,
            (long) receivers * MESSAGES * MESSAGE_BYTES * 12 / 10);
  }
}
