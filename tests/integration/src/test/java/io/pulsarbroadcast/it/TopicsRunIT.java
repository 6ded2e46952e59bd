/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.engine.TopicsRun;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code ./bench topics} counts: a message of each topic, for each of its consumers. */
@ExtendWith(OperatedBroker.class)
@Tag("complete")
class TopicsRunIT {
  private static final int TOPICS = 5;

  @ParameterizedTest
  @EnumSource
  void shouldCountAMessageOfEachTopicAfterAllWereLoadedAgain(TopicsRun.Series series, Broker broker)
      throws Exception {
    String prefix = OperatedBroker.topicIn(OperatedBroker.newNamespace(broker));

    TopicsRun.Result result =
        new TopicsRun(new TopicsRun.Load(TOPICS, 1, 3, 1), series, RunListener.SILENT)
            .execute(io.pulsarbroadcast.benchmark.server.Broker.of(broker.process()), prefix);

    assertThat(result.expected()).isEqualTo(3 * TOPICS);
    assertThat(result.received()).isEqualTo(3 * TOPICS);
    assertThat(result.connected().metadataWrites())
        .as("at least a ledger and a cursor of each topic")
        .isGreaterThanOrEqualTo(2 * TOPICS);
    assertThat(result.metrics().lines()).isGreaterThan(20 * TOPICS);
    assertThat(result.idle().millis()).isBetween(1_000L, 60_000L);
    for (int i = 1; i <= TOPICS; i++) {
      assertThat(broker.admin().topics().getSubscriptions(prefix + "-" + i))
          .hasSize(series == TopicsRun.Series.broadcast ? 1 : 3);
    }
  }
}
