/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.metrics.MetricLabels;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Which reads the dispatcher asks for, and when; storage and timer answer when the test says so.
 */
class BroadcastDispatcherTest {

  private static final long END = 1_000;

  private final Queue<Runnable> dispatchThread = new ArrayDeque<>();
  private final List<Runnable> timer = new ArrayList<>();
  private final Source source = new Source();
  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
  private final BroadcastDispatcher dispatcher =
      new BroadcastDispatcher(
          "test",
          source,
          DispatchQuota.UNLIMITED,
          END,
          dispatchThread::add,
          new Timer(),
          1 << 20,
          new BroadcastMetrics(new MetricLabels("test", true, false), () -> 0)
              .subscription("public/default", "persistent://public/default/topic", "all"));
  private final List<Connection> connections = new ArrayList<>();

  @AfterEach
  void close() {
    connections.forEach(Connection::close);
  }

  /** I8: a ledger that cannot be read costs nobody who needs another one. */
  @Test
  void shouldServeOthersWhileOnePlaceCannotBeRead() {
    Connection stuck = new Connection();
    stuck.consumerAt(10);
    Connection fine = new Connection();
    fine.consumerAt(500);
    run();

    Read unreadable = source.behind.remove();
    assertThat(unreadable.from).isEqualTo(10);
    unreadable.fail();
    run();
    Read readable = source.behind.remove();
    assertThat(readable.from).isEqualTo(500);
    readable.answer();
    run();

    assertThat(fine.frames()).isEqualTo(1);
  }

  /** I8 on one connection, which a proxy's many clients may share. */
  @Test
  void shouldServeOthersOfTheConnectionWhileOnePlaceCannotBeRead() {
    Connection connection = new Connection();
    connection.consumerAt(10);
    connection.consumerAt(500);
    run();

    long first = source.behind.element().from;
    source.behind.remove().fail();
    run();
    assertThat(source.behind).as("reads before the time to try again").isEmpty();
    timer.remove(0).run();
    run();

    assertThat(source.behind.remove().from).isNotEqualTo(first);
  }

  /** I8: a transaction that is open keeps from being sent only what is after its beginning. */
  @Test
  void shouldServeOthersWhileAPlaceMayNotBeReadYet() {
    Connection connection = new Connection();
    FanoutConsumer late = connection.consumerAt(500);
    run();
    FanoutConsumer early = connection.consumerAt(10);
    Connection other = new Connection();
    FanoutConsumer later = other.consumerAt(600);
    run();
    Read notYet = source.behind.remove();
    assertThat(notYet.from).isEqualTo(500);
    notYet.callback.entriesRead(List.of(), 500);
    run();
    Read readable = source.behind.remove();
    assertThat(readable.from).isEqualTo(10);
    readable.answer();
    run();
    assertThat(early.messagesOut()).isEqualTo(1);
    assertThat(source.behind).extracting(Read::from).containsExactly(500L);

    source.behind.remove().callback.entriesRead(List.of(), 500);
    run();
    assertThat(source.behind).as("until it is time to look again").isEmpty();
    for (Runnable task : List.copyOf(timer)) {
      timer.remove(task);
      task.run();
    }
    run();
    while (!source.behind.isEmpty()) {
      source.behind.remove().answer();
      run();
    }
    assertThat(late.messagesOut()).isEqualTo(1);
    assertThat(later.messagesOut()).isEqualTo(1);
  }

  /** I7: also when it was behind that a consumer was, and closing the topic failed. */
  @Test
  void shouldGoOnForThoseBehindWhenReopened() {
    Connection connection = new Connection();
    FanoutConsumer consumer = connection.consumerAt(10);
    run();
    dispatcher.close();
    run();
    source.behind.remove().fail();
    run();
    assertThat(timer).isEmpty();

    dispatcher.reopen();
    run();
    source.behind.remove().answer();
    run();

    assertThat(consumer.messagesOut()).isEqualTo(1);
  }

  /** I7: a read that closing ends may end when the dispatcher has been opened again. */
  @Test
  void shouldGoOnWhenAReadEndsThatBeganBeforeItWasClosed() {
    FanoutConsumer atTail = new Connection().consumerAt(END);
    FanoutConsumer consumer = new Connection().consumerAt(10);
    source.cancels = false;
    run();
    dispatcher.close();
    run();
    dispatcher.reopen();
    run();
    EntrySource.ReadCallback tail = source.tail;
    source.behind.remove().end();
    tail.readFailed(new IOException("cursor closed"), false);
    run();
    for (Runnable task : List.copyOf(timer)) {
      timer.remove(task);
      task.run();
    }
    run();
    source.behind.remove().answer();
    assertThat(source.tail).as("another read").isNotSameAs(tail);
    source.tail.entriesRead(List.of(entry(END)), END + 1);
    run();

    assertThat(consumer.messagesOut()).isEqualTo(1);
    assertThat(atTail.messagesOut()).isEqualTo(1);
  }

  /** Whoever reads the topic's cursor next finds its one place for a waiting read free. */
  @Test
  void shouldTakeBackTheReadThatWaitsWhenClosedAndAskAgainWhenReopened() {
    new Connection().consumerAt(END);
    run();
    assertThat(source.tail).isNotNull();

    CompletableFuture<Void> closed = dispatcher.close();
    run();
    assertThat(closed).isCompleted();
    assertThat(source.tail).as("the read that waited").isNull();

    dispatcher.reopen();
    run();
    assertThat(source.tail).as("the read that waits").isNotNull();
  }

  @Test
  void shouldNotReadTheTailWhenTheLastConsumerThereIsGone() {
    Connection connection = new Connection();
    connection.consumerAt(10);
    FanoutConsumer atTail = connection.consumerAt(END);
    run();
    assertThat(source.tailReads).isEqualTo(1);

    connection.fanout.remove(atTail);
    source.tail.entriesRead(List.of(entry(END)), END + 1);
    run();

    assertThat(source.tailReads).isEqualTo(1);
  }

  /** I8: who comes to a topic with a backlog does not wait until it has been read for nobody. */
  @Test
  void shouldGoOnAtTheTailWhereAConsumerFarAheadIs() {
    Connection connection = new Connection();
    FanoutConsumer farAhead = connection.consumerAt(END + 5_000);
    run();

    assertThat(source.leaptTo).isEqualTo(END + 5_000);
    assertThat(source.tailReads).isEqualTo(1);
    source.tail.entriesRead(List.of(entry(END + 5_000)), END + 5_001);
    run();
    assertThat(farAhead.messagesOut()).isEqualTo(1);
  }

  /** I7: also when nothing new is published. */
  @Test
  void shouldServeThoseWhomTheTailHasLeaptOver() {
    Connection near = new Connection();
    FanoutConsumer leaptOver = near.consumerAt(END + 10);
    run();
    Connection far = new Connection();
    far.consumerAt(END + 5_000);
    run();
    assertThat(source.leaptTo).as("while a read is under way").isZero();

    source.tail.entriesRead(List.of(entry(END)), END + 1);
    run();
    assertThat(source.leaptTo).isEqualTo(END + 5_000);
    Read read = source.behind.remove();
    assertThat(read.from).isEqualTo(END + 10);
    read.answer();
    run();

    assertThat(leaptOver.messagesOut()).isEqualTo(1);
  }

  /** Everybody would be behind for a moment. */
  @Test
  void shouldNotLeapToAConsumerThatTheTailWillSoonReach() {
    new Connection().consumerAt(END + 100);
    run();

    assertThat(source.leaptTo).isZero();
    assertThat(source.tailReads).isEqualTo(1);
  }

  private void run() {
    boolean busy = true;
    while (busy) {
      Runnable task = dispatchThread.poll();
      busy = task != null;
      if (task != null) {
        task.run();
      }
      for (Connection connection : connections) {
        busy |= connection.channel.hasPendingTasks();
        connection.channel.runPendingTasks();
      }
    }
  }

  private static BroadcastEntry entry(long ordinal) {
    return new BroadcastEntry(
        ordinal, ordinal, 1, ordinal, 1, null, Unpooled.wrappedBuffer(new byte[10]));
  }

  /** A read that waits for its answer. */
  private record Read(long from, EntrySource.ReadCallback callback) {
    void answer() {
      callback.entriesRead(List.of(entry(from)), from + 1);
    }

    void fail() {
      callback.readFailed(new IOException("bookie away"), true);
    }

    void end() {
      callback.readFailed(new IOException("cursor closed"), false);
    }
  }

  private static final class Source implements EntrySource {
    private final Queue<Read> behind = new ArrayDeque<>();
    private ReadCallback tail;
    private boolean cancels = true;
    private int tailReads;
    private long leaptTo;

    @Override
    public void readTail(DispatchQuota.Share max, ReadCallback callback) {
      tailReads++;
      tail = callback;
    }

    @Override
    public boolean cancelTail() {
      boolean waited = cancels && tail != null;
      tail = cancels ? null : tail;
      return waited;
    }

    @Override
    public void skipTail(long ordinal) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void leapTail(long ordinal) {
      leaptTo = ordinal;
    }

    @Override
    public void readBehind(long from, long to, DispatchQuota.Share max, ReadCallback callback) {
      behind.add(new Read(from, callback));
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  private final class Timer extends ScheduledThreadPoolExecutor {
    Timer() {
      super(0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      timer.add(task);
      return null;
    }
  }

  private final class Connection {
    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final ConnectionFanout fanout =
        new ConnectionFanout(
            new FrameWriter(channel.pipeline().firstContext(), payload -> payload, -1, null),
            dispatcher,
            1 << 20);

    Connection() {
      connections.add(this);
      dispatcher.connect(fanout);
      run();
    }

    /** A consumer that may be sent one message, from {@code next} on. */
    FanoutConsumer consumerAt(long next) {
      FanoutConsumer consumer =
          new FanoutConsumer(
              next, registry.connect("at" + next, 60, () -> next, 0), -1, true, new TestOwner());
      fanout.add(consumer);
      fanout.flow(consumer, 1);
      return consumer;
    }

    int frames() {
      int frames = 0;
      for (Object out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
        ReferenceCountUtil.release(out);
        frames++;
      }
      return frames;
    }

    void close() {
      dispatcher.disconnect(fanout);
      fanout.close();
      run();
      channel.finishAndReleaseAll();
    }
  }
}
