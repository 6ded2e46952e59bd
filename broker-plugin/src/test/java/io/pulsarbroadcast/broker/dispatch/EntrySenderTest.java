/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EntrySenderTest {

  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final FrameWriter writer =
      new FrameWriter(channel.pipeline().firstContext(), payload -> payload, -1, null);
  private final DelayedDeliveries delayed =
      new DelayedDeliveries(writer, new DelayedDeliveries.Room(0, 0), consumer -> {});
  private final EntrySender sender = new EntrySender(writer, delayed, TestOwner::filter, null);
  private final Owner owner = new Owner();
  private final FanoutConsumer consumer =
      new FanoutConsumer(
          1,
          new CursorRegistry(new SkippedEntries(), 0).connect("a", 60, () -> 0, 0),
          -1,
          false,
          owner);

  @AfterEach
  void close() {
    delayed.close();
    channel.finishAndReleaseAll();
  }

  /** I1: a filter has put it off, and when that is over there is no room for it to wait. */
  @Test
  void shouldKeepARedeliveryForWhichThereIsNoRoomToWait() {
    BroadcastEntry entry =
        new BroadcastEntry(0, 0, 1, 0, 1, null, Unpooled.wrappedBuffer(new byte[10]));
    owner.verdict = ConsumerOwner.Verdict.RESCHEDULE;
    sender.give(consumer, entry, true);
    owner.verdict = ConsumerOwner.Verdict.ACCEPT;
    consumer.redeliver(0);

    assertThat(consumer.takes(entry)).isTrue();
    sender.give(consumer, entry, false);
    assertThat(consumer.paused).isTrue();
    assertThat(consumer.hasRedeliveries()).isTrue();
    assertThat(consumer.wanted()).isZero();
    assertThat(consumer.redeliveriesOf(entry)).as("how often it was asked for").isEqualTo(1);
  }

  private static final class Owner extends TestOwner {
    @Override
    public long deliverAtMillis(BroadcastEntry entry) {
      return System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
    }
  }
}
