/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DelayedDeliveriesTest {

  private static final int ENTRIES = 100;

  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final FrameWriter writer =
      new FrameWriter(channel.pipeline().firstContext(), payload -> payload, -1, null);
  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
  private final List<FanoutConsumer> due = new ArrayList<>();
  private final DelayedDeliveries delayed = new DelayedDeliveries(writer, due::add);

  @AfterEach
  void close() {
    delayed.close();
    channel.finishAndReleaseAll();
  }

  private FanoutConsumer consumer(String name) {
    FanoutConsumer consumer =
        new FanoutConsumer(
            1, registry.connect(name, 60, () -> 0, ENTRIES), -1, false, new TestOwner());
    consumer.memberIndex = 0;
    return consumer;
  }

  private static long inAnHour() {
    return System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
  }

  @Test
  void shouldTellWhoHasSomethingDue() {
    FanoutConsumer consumer = consumer("a");
    delayed.add(inAnHour(), consumer, 4);
    delayed.add(System.currentTimeMillis() - 1, consumer, 5);
    channel.runScheduledPendingTasks();

    assertThat(due).containsExactly(consumer);
    assertThat(consumer.wanted()).isEqualTo(5);
    assertThat(delayed.size()).isEqualTo(1);
  }

  /** I8: consumers that come and go, long before their messages are due, leave nothing behind. */
  @Test
  void shouldNotKeepDeliveriesToConsumersThatAreGone() {
    FanoutConsumer stays = consumer("stays");
    delayed.add(inAnHour(), stays, 0);
    for (int i = 0; i < 50; i++) {
      FanoutConsumer goes = consumer("goes");
      for (int ordinal = 0; ordinal < ENTRIES; ordinal++) {
        delayed.add(inAnHour(), goes, ordinal);
      }
      goes.memberIndex = -1;
      delayed.forget(goes);
    }

    assertThat(delayed.size()).isLessThanOrEqualTo(2 * ENTRIES);
    assertThat(stays.delayedEntries()).isEqualTo(1);
  }

  @Test
  void shouldTellNobodyWhoIsGone() {
    FanoutConsumer goes = consumer("goes");
    delayed.add(System.currentTimeMillis() - 1, goes, 5);
    goes.memberIndex = -1;
    delayed.forget(goes);
    channel.runScheduledPendingTasks();

    assertThat(due).isEmpty();
    assertThat(delayed.size()).isZero();
  }
}
