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
  private final DelayedDeliveries.Room room = new DelayedDeliveries.Room(10_000, 2);
  private final DelayedDeliveries delayed = new DelayedDeliveries(writer, room, due::add);

  @AfterEach
  void close() {
    delayed.close();
    assertThat(room.held().get()).as("held").isZero();
    assertThat(channel.runScheduledPendingTasks()).as("a timer that is left").isNegative();
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

  /** I8: what may be held is shared; each consumer has a little of its own. */
  @Test
  void shouldPauseAConsumerForWhichThereIsNoRoom() {
    DelayedDeliveries.Room little = new DelayedDeliveries.Room(3, 2);
    DelayedDeliveries here = new DelayedDeliveries(writer, little, due::add);
    DelayedDeliveries elsewhere = new DelayedDeliveries(writer, little, due::add);
    FanoutConsumer first = consumer("first");
    FanoutConsumer second = consumer("second");
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(elsewhere.add(inAnHour(), first, ordinal)).isTrue();
    }
    assertThat(elsewhere.add(inAnHour(), first, 3)).isFalse();
    assertThat(first.paused).isTrue();

    assertThat(here.add(inAnHour(), second, 0)).as("of its own").isTrue();
    assertThat(here.add(inAnHour(), second, 1)).as("of its own").isTrue();
    assertThat(here.add(inAnHour(), second, 2)).isFalse();
    second.permits = 1;
    assertThat(second.mayBeSent()).isFalse();

    elsewhere.close();
    here.close();
    assertThat(little.held().get()).isZero();
  }

  /** I7: also when the room becomes free elsewhere. */
  @Test
  void shouldLookAgainForThoseThatWaitForRoom() {
    DelayedDeliveries.Room none = new DelayedDeliveries.Room(0, 1);
    DelayedDeliveries here = new DelayedDeliveries(writer, none, due::add);
    FanoutConsumer consumer = consumer("a");
    here.add(inAnHour(), consumer, 0);
    assertThat(here.add(inAnHour(), consumer, 1)).isFalse();
    channel.advanceTimeBy(2, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();

    assertThat(due).containsExactly(consumer);
    assertThat(consumer.paused).isFalse();
    channel.advanceTimeBy(2, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(due).as("it waits no more").containsExactly(consumer);
    here.close();
  }

  @Test
  void shouldDropWhatWaitsForAConsumerThatStartsAgain() {
    FanoutConsumer consumer = consumer("a");
    delayed.add(inAnHour(), consumer, 4);
    delayed.drop(consumer);

    assertThat(delayed.size()).isZero();
    assertThat(room.held().get()).isZero();
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

  /** I8: nobody waits for room that those take who are gone; it is given back once. */
  @Test
  void shouldGiveBackTheRoomOfThoseThatAreGone() {
    FanoutConsumer stays = consumer("stays");
    FanoutConsumer goes = consumer("goes");
    for (int ordinal = 0; ordinal < 5; ordinal++) {
      delayed.add(inAnHour(), stays, ordinal);
      delayed.add(ordinal == 0 ? System.currentTimeMillis() - 1 : inAnHour(), goes, ordinal);
    }
    goes.memberIndex = -1;
    delayed.forget(goes);
    assertThat(room.held().get()).isEqualTo(5);

    channel.runScheduledPendingTasks();
    assertThat(room.held().get()).as("when what waited for nobody is due").isEqualTo(5);
    delayed.close();
    delayed.forget(stays);
    assertThat(room.held().get()).isZero();
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

  @Test
  void shouldGiveRoomBackWithWhatIsDelivered() {
    FanoutConsumer consumer = consumer("a");
    delayed.add(inAnHour(), consumer, 4);
    delayed.add(System.currentTimeMillis() - 1, consumer, 5);
    assertThat(room.held().get()).isEqualTo(2);
    channel.runScheduledPendingTasks();

    assertThat(room.held().get()).isEqualTo(1);
    assertThat(consumer.delayedEntries()).isEqualTo(1);
  }

  /** The wall clock says when it is time; a timer that comes too early starts again. */
  @Test
  void shouldNotDeliverBeforeItIsTime() {
    FanoutConsumer consumer = consumer("a");
    delayed.add(inAnHour(), consumer, 4);
    for (int time = 0; time < 2; time++) {
      channel.advanceTimeBy(2, TimeUnit.HOURS);
      assertThat(channel.runScheduledPendingTasks()).as("the next timer").isPositive();
    }

    assertThat(due).isEmpty();
    assertThat(consumer.delayedEntries()).isEqualTo(1);
  }

  /** One timer, for the first. */
  @Test
  void shouldKeepOneTimer() {
    FanoutConsumer consumer = consumer("a");
    long later = inAnHour() + TimeUnit.HOURS.toMillis(1);
    delayed.add(later, consumer, 3);
    delayed.add(inAnHour(), consumer, 4);
    delayed.add(later, consumer, 5);

    assertThat(channel.runScheduledPendingTasks())
        .isBetween(TimeUnit.MINUTES.toNanos(50), TimeUnit.MINUTES.toNanos(61));
  }

  @Test
  void shouldGoOnAtOnceWithAPausedConsumerThatStartsAgain() {
    DelayedDeliveries.Room none = new DelayedDeliveries.Room(0, 0);
    DelayedDeliveries here = new DelayedDeliveries(writer, none, due::add);
    FanoutConsumer startsAgain = consumer("starts again");
    FanoutConsumer goes = consumer("goes");
    here.add(inAnHour(), startsAgain, 0);
    here.add(inAnHour(), goes, 0);
    here.drop(startsAgain);
    assertThat(startsAgain.paused).isFalse();
    here.forget(goes);
    channel.advanceTimeBy(2, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();

    assertThat(due).as("nobody waits for room any more").isEmpty();
    here.close();
  }

  @Test
  void shouldDropOnlyWhatWaitsForTheConsumerThatStartsAgain() {
    FanoutConsumer stays = consumer("stays");
    FanoutConsumer startsAgain = consumer("starts again");
    delayed.add(inAnHour(), stays, 4);
    delayed.add(inAnHour(), startsAgain, 4);
    delayed.drop(startsAgain);

    assertThat(delayed.size()).isEqualTo(1);
    assertThat(room.held().get()).isEqualTo(1);
  }

  /** I8: also what waits for those that are gone is skipped, and takes no room to give back. */
  @Test
  void shouldGiveBackTheRoomOfWhatIsSkipped() {
    FanoutConsumer stays = consumer("stays");
    FanoutConsumer goes = consumer("goes");
    for (int ordinal = 0; ordinal < 5; ordinal++) {
      delayed.add(inAnHour(), stays, ordinal);
      delayed.add(inAnHour(), goes, ordinal);
    }
    goes.memberIndex = -1;
    delayed.forget(goes);
    delayed.skipTo(3);

    assertThat(delayed.size()).isEqualTo(4);
    assertThat(room.held().get()).isEqualTo(2);
    assertThat(stays.delayedEntries()).isEqualTo(2);
  }
}
