/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.engine.ListenerRun;
import io.pulsarbroadcast.benchmark.engine.ListenerThreads;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code ./bench listeners} counts: each message once, and in the order of its key. */
@ExtendWith(BrokerExtension.class)
@Tag("complete")
class ListenerRunIT {
  private static final int TOPICS = 3;
  private static final int DELAY_MILLIS = 50;

  @ParameterizedTest
  @EnumSource(names = {"client", "platform"})
  void shouldCountEachMessageOnce(ListenerThreads threads, Broker broker) throws Exception {
    List<String> topics = Stream.generate(Broker::newTopic).limit(TOPICS).toList();
    ListenerRun.Settings load = new ListenerRun.Settings(TOPICS, 2, 10, DELAY_MILLIS, 100, 1, 2);

    ListenerRun.Result result =
        new ListenerRun(load, threads, RunListener.SILENT)
            .execute(broker.process().serviceUrl(), topics);

    assertThat(result.isComplete()).as(result::toString).isTrue();
    assertThat(result.published()).isEqualTo(TOPICS * 10 * 3);
    assertThat(result.endToEndMicros().getTotalCount()).isEqualTo(TOPICS * 10 * 2);
    assertThat(result.endToEndMicros().getMinValue()).isGreaterThan(DELAY_MILLIS * 900);
    assertThat(result.mostThreads()).isPositive();
    for (String topic : topics) {
      Subscriptions.awaitBacklog(broker, topic, "listeners", 0);
    }
  }
}
