/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.metrics.MetricLabels;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;

/**
 * A dispatcher whose storage, timer, rate limit and connections do what the test says, when it says
 * so. The topic's tail is at {@link #END} at first.
 */
final class TestDispatch {

  static final long END = 1_000;
  static final int ENTRY_BYTES = 10;

  /** How much a connection may hold for a full socket. */
  static final int MAX_PENDING_BYTES = 4 * ENTRY_BYTES;

  final Queue<Runnable> dispatchThread = new ArrayDeque<>();
  final List<Delayed> timer = new ArrayList<>();
  final Source source = new Source();
  final Quota quota = new Quota();
  final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
  final BroadcastDispatcher dispatcher;
  private final BroadcastMetrics metrics =
      new BroadcastMetrics(new MetricLabels("test", true, true, false), () -> 0);
  private final List<BroadcastEntry> entries = new ArrayList<>();
  private final List<Connection> connections = new ArrayList<>();
  private int consumers;

  TestDispatch() {
    this(1 << 20);
  }

  /**
   * @param maxHeldBytes how much memory batches may take that wait for full sockets
   */
  TestDispatch(long maxHeldBytes) {
    dispatcher =
        new BroadcastDispatcher(
            "test",
            source,
            quota,
            END,
            dispatchThread::add,
            new Timer(),
            maxHeldBytes,
            metrics.subscription("public/default", "persistent://public/default/topic", "all"));
  }

  /** A connection that takes part. */
  Connection connection() {
    Connection connection = connectionNotYet();
    dispatcher.connect(connection.fanout);
    run();
    return connection;
  }

  /** A connection of which the dispatcher does not know yet. */
  Connection connectionNotYet() {
    Connection connection = new Connection();
    connections.add(connection);
    return connection;
  }

  /** Runs all tasks of the dispatch thread and of the connections that are not stopped. */
  void run() {
    boolean busy = true;
    for (int passes = 0; busy; passes++) {
      assertThat(passes).as("tasks that lead to others without end").isLessThan(10_000);
      busy = runOne(dispatchThread);
      for (Connection connection : connections) {
        busy |= !connection.stopped && runOne(connection.thread);
      }
    }
  }

  private static boolean runOne(Queue<Runnable> tasks) {
    Runnable task = tasks.poll();
    if (task != null) {
      task.run();
    }
    return task != null;
  }

  /** Runs what was put off until now; what that puts off waits again. */
  void elapse() {
    List<Delayed> due = List.copyOf(timer);
    timer.clear();
    due.forEach(delayed -> delayed.task.run());
    run();
  }

  /** Answers reads for those behind, up to {@code next}, until there are none. */
  void answerAll(long next) {
    for (int reads = 0; !source.behind.isEmpty(); reads++) {
      assertThat(reads).as("reads that lead to others without end").isLessThan(100);
      Read read = source.behind.remove();
      read.answerTo(Math.min(read.to, next));
    }
  }

  BroadcastEntry entry(long ordinal) {
    return entry(ordinal, ENTRY_BYTES);
  }

  BroadcastEntry entry(long ordinal, int bytes) {
    return entry(ordinal, 1, bytes);
  }

  BroadcastEntry entry(long ordinal, int messages, int bytes) {
    ByteBuf data = Unpooled.wrappedBuffer(new byte[bytes]);
    BroadcastEntry entry = new BroadcastEntry(ordinal, ordinal, 1, ordinal, messages, null, data);
    entries.add(entry);
    return entry;
  }

  List<BroadcastEntry> entries(long from, long to) {
    return LongStream.range(from, to).mapToObj(this::entry).toList();
  }

  /** The tail reader's read that waits brings these. */
  void publish(BroadcastEntry... published) {
    source
        .takeTail()
        .entriesRead(List.of(published), published[published.length - 1].ordinal() + 1);
    run();
  }

  /** The tail reader's read that waits brings one entry. */
  void publish(long ordinal) {
    publish(entry(ordinal));
  }

  /** The value of a metric, summed over its series. */
  double metric(String name) {
    return metrics
        .scrape()
        .lines()
        .filter(line -> line.startsWith("pulsar_broadcast_" + name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  /** Entries that somebody still holds. */
  long retained() {
    return entries.stream().filter(entry -> entry.refCnt() > 0).count();
  }

  /** Ends everything, and asserts I8: nothing is retained. */
  void close() {
    for (Connection connection : connections) {
      connection.stopped = false;
      connection.close();
    }
    dispatcher.close();
    run();
    assertThat(retained()).as("entries that are retained").isZero();
  }

  /** A task that was put off. */
  record Delayed(Runnable task, long millis) {}

  /** A read for those behind that waits for its answer. */
  final class Read {
    final long from;
    final long to;
    final DispatchQuota.Share max;
    private final EntrySource.ReadCallback callback;

    private Read(long from, long to, DispatchQuota.Share max, EntrySource.ReadCallback callback) {
      this.from = from;
      this.to = to;
      this.max = max;
      this.callback = callback;
    }

    /** Brings the first entry. */
    void answer() {
      answerTo(from + 1);
    }

    /** Brings every entry before {@code next}. */
    void answerTo(long next) {
      answer(next, entries(from, next));
    }

    void answer(long next, List<BroadcastEntry> read) {
      callback.entriesRead(read, next);
      run();
    }

    /** A transaction is open there. */
    void notYet() {
      answer(from, List.of());
    }

    void fail() {
      fail(true);
    }

    void fail(boolean retry) {
      callback.readFailed(new IOException("bookie away"), retry);
      run();
    }
  }

  /** Storage. */
  final class Source implements EntrySource {
    /** Reads that wait, for those behind. */
    final Queue<Read> behind = new ArrayDeque<>();

    /** The read that waits, at the tail. */
    ReadCallback tail;

    /** Whether the read that waits can be taken back. */
    boolean cancels = true;

    /** Whether the next read is answered by an exception. */
    boolean broken;

    DispatchQuota.Share tailMax;
    int tailReads;
    long skippedTo;
    long leaptTo;
    boolean closed;

    private void breakIfBroken() {
      if (broken) {
        broken = false;
        throw new IllegalStateException("broken");
      }
    }

    ReadCallback takeTail() {
      ReadCallback waiting = tail;
      tail = null;
      return waiting;
    }

    void failTail(boolean retry) {
      takeTail().readFailed(new IOException("bookie away"), retry);
      run();
    }

    @Override
    public void readTail(DispatchQuota.Share max, ReadCallback callback) {
      assertThat(tail).as("a read at the tail that is under way").isNull();
      breakIfBroken();
      tailReads++;
      tailMax = max;
      tail = callback;
    }

    @Override
    public boolean cancelTail() {
      return cancels && takeTail() != null;
    }

    @Override
    public void skipTail(long ordinal) {
      skippedTo = ordinal;
    }

    @Override
    public void leapTail(long ordinal) {
      leaptTo = ordinal;
    }

    @Override
    public void readBehind(long from, long to, DispatchQuota.Share max, ReadCallback callback) {
      breakIfBroken();
      behind.add(new Read(from, to, max, callback));
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** A rate limit. */
  static final class Quota implements DispatchQuota {
    /** What was sent, of one connection and one reader. */
    record Sent(boolean atTail, long entries, long messages, long bytes) {}

    Share share = Share.ALL;
    final List<Sent> sent = new ArrayList<>();

    @Override
    public Share toRead(boolean atTail) {
      return share;
    }

    @Override
    public void sent(boolean atTail, long entries, long messages, long bytes) {
      sent.add(new Sent(atTail, entries, messages, bytes));
    }
  }

  private final class Timer extends ScheduledThreadPoolExecutor {
    Timer() {
      super(0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      timer.add(new Delayed(task, unit.toMillis(delay)));
      return null;
    }
  }

  /** What a client reads of one message. */
  record Frame(long consumer, long ordinal, int redeliveries, long epoch, int ackSetWords) {}

  final class Connection {
    final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    final ConnectionFanout fanout;
    private final Queue<Runnable> thread = new ArrayDeque<>();

    /** Whether its thread is busy with something else. */
    boolean stopped;

    private Connection() {
      FrameWriter writer =
          new FrameWriter(channel.pipeline().firstContext(), payload -> payload, -1, thread::add);
      fanout = new ConnectionFanout(writer, dispatcher, TestOwner::filter, MAX_PENDING_BYTES);
    }

    /** A consumer of the ordered contract that may be sent one message, from {@code next} on. */
    FanoutConsumer consumerAt(long next) {
      return consumerAt(next, 1);
    }

    FanoutConsumer consumerAt(long next, int permits) {
      return orderedAt(next, permits, new TestOwner());
    }

    FanoutConsumer orderedAt(long next, int permits, ConsumerOwner owner) {
      return consumer(next, permits, 60, true, owner);
    }

    /** A consumer of the unordered contract. */
    FanoutConsumer unorderedAt(long next, int permits, ConsumerOwner owner) {
      return consumer(next, permits, 60, false, owner);
    }

    /** A non-durable one, which may be before the subscription's position. */
    FanoutConsumer readerAt(long next, int permits) {
      return consumer(next, permits, CursorRegistry.EPHEMERAL, true, new TestOwner());
    }

    private FanoutConsumer consumer(
        long next, int permits, long ttlSeconds, boolean ordered, ConsumerOwner owner) {
      FanoutConsumer consumer =
          new FanoutConsumer(
              consumers,
              registry.connect("c" + consumers, ttlSeconds, () -> next, 0),
              -1,
              ordered,
              owner);
      consumers++;
      fanout.add(consumer);
      fanout.flow(consumer, permits);
      run();
      return consumer;
    }

    /** The socket is full, or takes more again. */
    void setWritable(boolean writable) {
      channel.unsafe().outboundBuffer().setUserDefinedWritability(1, writable);
      if (writable) {
        fanout.writabilityChanged();
        run();
      }
    }

    /** What the client has got since it was last asked. */
    List<Frame> frames() {
      ByteBuf read = Unpooled.buffer();
      for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
        read.writeBytes(out);
        out.release();
      }
      List<Frame> frames = new ArrayList<>();
      while (read.isReadable()) {
        ByteBuf frame = read.readSlice(read.readInt());
        BaseCommand command = new BaseCommand();
        command.parseFrom(frame, frame.readInt());
        CommandMessage message = command.getMessage();
        frames.add(
            new Frame(
                message.getConsumerId(),
                message.getMessageId().getEntryId(),
                message.getRedeliveryCount(),
                message.hasConsumerEpoch() ? message.getConsumerEpoch() : -1,
                message.getAckSetsCount()));
      }
      return frames;
    }

    /** The ordinals that the client has got since it was last asked. */
    List<Long> received() {
      return frames().stream().map(Frame::ordinal).toList();
    }

    /** The connection is lost. */
    void close() {
      dispatcher.disconnect(fanout);
      fanout.close();
      run();
      channel.finishAndReleaseAll();
    }
  }
}
