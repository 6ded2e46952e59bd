/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.pulsarbroadcast.broker.Seeds;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.metrics.MetricLabels;
import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Dispatch against a model: random publishing, permits, full sockets, acknowledgements, redelivery,
 * skips, reads that fail, memory that ends, coming, going and breaking off, in a random but
 * repeatable interleaving of the dispatch thread, the connections and storage.
 *
 * <p>Protects I1 (everything arrives), I2 (first deliveries in order), the order of the ordered
 * contract after a rewind or seek, I7 (nobody with permits is stranded when nothing more happens)
 * and I8 in part (nothing stays retained).
 */
@ExtendWith(FailedReadsUnlogged.class)
class FanoutSimulationTest {

  private static final Pattern GAUGE_AT_ZERO =
      Pattern.compile("pulsar_broadcast_(connections|unwritable_connections|laggards)\\{.*} 0\\.0");

  @ParameterizedTest
  @ValueSource(ints = {100, 4000})
  void shouldGiveEveryConsumerEverythingInOrder(int payloadBytes) {
    int runs = Math.max(2, Integer.getInteger("simulation.seeds", 150));
    Seeds.forEach("simulation", runs, seed -> new Simulation(seed, payloadBytes).run(400));
  }

  /** One repeatable run. */
  private static final class Simulation {
    private final String run;
    private final Random random;
    private final int payloadBytes;
    private final Queue<Runnable> dispatchThread = new ArrayDeque<>();
    private final Queue<Runnable> storage = new ArrayDeque<>();
    private final List<ByteBuf> log = new ArrayList<>();
    private final SkippedEntries skipped = new SkippedEntries();
    private final CursorRegistry registry = new CursorRegistry(skipped, 0);
    private final MemoryLedger ledger = new MemoryLedger();
    private final BroadcastMetrics allMetrics =
        new BroadcastMetrics(new MetricLabels("test", true, true, false), () -> 0);
    private final SubscriptionMetrics metrics =
        allMetrics.subscription(
            "public/default", "persistent://public/default/topic", "subscription");
    private final BroadcastDispatcher dispatcher =
        new BroadcastDispatcher(
            "test",
            ledger,
            DispatchQuota.UNLIMITED,
            0,
            dispatchThread::add,
            new Timer(),
            20_000,
            metrics,
            5);
    private final List<Connection> connections = new ArrayList<>();
    private final List<SimulatedConsumer> everybody = new ArrayList<>();

    Simulation(long seed, int payloadBytes) {
      this.run = "seed " + seed + ", " + payloadBytes + " bytes";
      this.random = Seeds.random(seed);
      this.payloadBytes = payloadBytes;
    }

    void run(int steps) {
      for (int i = 0; i < 3; i++) {
        connections.add(new Connection());
      }
      for (int i = 0; i < steps; i++) {
        step();
      }
      // Nothing more happens: sockets drain, everybody asks for more; all must arrive without
      // another publish.
      connections.forEach(connection -> connection.setWritable(true));
      settle();
      everybody.forEach(consumer -> consumer.flow(10_000));
      settle();
      boolean more = true;
      while (more) {
        more = false;
        for (SimulatedConsumer consumer : everybody) {
          more |= consumer.acknowledgeToUnblock();
        }
        settle();
      }
      for (SimulatedConsumer consumer : everybody) {
        consumer.assertComplete(log.size());
        consumer.assertAllCameThatWasAskedFor();
      }
      // Seeking back to what was skipped: also when nobody publishes.
      everybody.forEach(SimulatedConsumer::seekToStart);
      settle();
      for (SimulatedConsumer consumer : everybody) {
        consumer.assertComplete(log.size());
      }
      connections.forEach(Connection::close);
      dispatcher.close();
      settle();
      assertThat(allMetrics.scrape().lines().filter(GAUGE_AT_ZERO.asMatchPredicate()))
          .as("%s: gauges of connections that are gone", run)
          .hasSize(3);
      for (ByteBuf entry : log) {
        assertThat(entry.refCnt()).as("%s: retained", run).isEqualTo(1);
        entry.release();
      }
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> ledger.publish();
        case 3 -> anyConnection().add();
        case 4 -> anyConnection().setWritable(random.nextInt(3) > 0);
        case 5, 6 -> anyConsumer(consumer -> consumer.flow(1 + random.nextInt(20)));
        case 7 -> anyConsumer(SimulatedConsumer::acknowledgeSome);
        case 8 -> {
          if (random.nextInt(5) == 0) {
            anyConsumer(SimulatedConsumer::rewind);
          } else {
            anyConsumer(SimulatedConsumer::askAgain);
          }
        }
        case 9 -> {
          if (random.nextInt(8) == 0) {
            anyConsumer(SimulatedConsumer::leave);
          }
        }
        default -> {
          if (random.nextInt(40) == 0) {
            skip();
          } else {
            runSome();
          }
        }
      }
      if (random.nextInt(100) == 0) {
        anyConnection().breakOff();
      }
      if (random.nextInt(200) == 0) {
        anyConnection().memory.left = random.nextInt(4);
      }
    }

    /** An operator moves the subscription on: nobody needs to get what is before that any more. */
    private void skip() {
      int ordinal = random.nextInt(log.size() + 1);
      registry.skipTo(ordinal);
      // The broker's cursor is there before the dispatcher knows.
      ledger.skipTail(ordinal);
      dispatcher.skipTo(ordinal);
      everybody.forEach(consumer -> consumer.needed = Math.max(consumer.needed, ordinal));
      dispatchThread.add(() -> connections.forEach(connection -> connection.skipped(ordinal)));
    }

    private void runSome() {
      for (int i = random.nextInt(6); i > 0; i--) {
        switch (random.nextInt(3)) {
          case 0 -> runOne(dispatchThread);
          case 1 -> runOne(storage);
          default -> anyConnection().pump();
        }
      }
    }

    private void settle() {
      boolean busy = true;
      while (busy) {
        busy = runOne(dispatchThread);
        busy |= runOne(storage);
        for (Connection connection : connections) {
          busy |= connection.pump();
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

    private Connection anyConnection() {
      return connections.get(random.nextInt(connections.size()));
    }

    private void anyConsumer(Consumer<SimulatedConsumer> action) {
      if (!everybody.isEmpty()) {
        action.accept(everybody.get(random.nextInt(everybody.size())));
      }
    }

    /**
     * Storage whose reads complete when the simulation says so. Every seventh entry is for nobody.
     */
    private final class MemoryLedger implements EntrySource {
      private int tail;
      private ReadCallback waiting;

      void publish() {
        ByteBuf entry = Unpooled.directBuffer(payloadBytes);
        entry.writeInt(log.size()).writeZero(payloadBytes - 4);
        log.add(entry);
        if (waiting != null) {
          ReadCallback callback = waiting;
          waiting = null;
          storage.add(() -> completeTail(callback));
        }
      }

      @Override
      public void readTail(DispatchQuota.Share max, ReadCallback callback) {
        if (tail == log.size()) {
          waiting = callback;
        } else {
          storage.add(() -> completeTail(callback));
        }
      }

      /** A bookie is away for a moment. */
      private boolean failed(ReadCallback callback) {
        boolean fails = random.nextInt(12) == 0;
        if (fails) {
          callback.readFailed(new IOException("bookie away"), true);
        }
        return fails;
      }

      private void completeTail(ReadCallback callback) {
        if (failed(callback)) {
          return;
        }
        if (tail == log.size()) {
          // The tail was moved to the end since the read began.
          waiting = callback;
          return;
        }
        if (random.nextInt(10) == 0) {
          // The subscription was moved on: the reader goes on from there.
          tail += random.nextInt(log.size() - tail);
        }
        int end = Math.min(log.size(), tail + 1 + random.nextInt(5));
        List<BroadcastEntry> entries = entries(tail, end);
        tail = end;
        callback.entriesRead(entries, end);
      }

      @Override
      public boolean cancelTail() {
        boolean waited = waiting != null;
        waiting = null;
        return waited;
      }

      @Override
      public void skipTail(long ordinal) {
        tail = Math.max(tail, (int) ordinal);
      }

      @Override
      public void leapTail(long ordinal) {
        assertThat(waiting).as("%s: a read under way at the tail", run).isNull();
        assertThat(ordinal).as("%s: leap beyond the end", run).isLessThanOrEqualTo(log.size());
        skipTail(ordinal);
      }

      @Override
      public void readBehind(long from, long to, DispatchQuota.Share max, ReadCallback callback) {
        assertThat(from).as("%s: catch-up beyond the tail", run).isLessThan(to);
        int end = (int) Math.min(to, from + 1 + random.nextInt(5));
        storage.add(
            () -> {
              if (!failed(callback)) {
                callback.entriesRead(entries((int) from, end), end);
              }
            });
      }

      private List<BroadcastEntry> entries(int from, int to) {
        List<BroadcastEntry> entries = new ArrayList<>();
        int covered = from;
        for (int i = from; i < to; i++) {
          if (!isForNobody(i)) {
            skipped.add(covered, i);
            entries.add(
                new BroadcastEntry(covered, i, 1, i, 1, null, log.get(i).retainedDuplicate()));
            covered = i + 1;
          }
        }
        if (covered < to) {
          skipped.add(covered, to);
          entries.add(BroadcastEntry.skipping(covered, to - 1));
        }
        return entries;
      }

      @Override
      public void close() {
        // Nothing is open.
      }
    }

    private static boolean isForNobody(int ordinal) {
      return ordinal % 7 == 6;
    }

    /** Entry filters: every fifth consumer does not want every eleventh entry. */
    private static boolean isRejected(long consumerId, long ordinal) {
      return consumerId % 5 == 4 && ordinal % 11 == 3;
    }

    /** Runs delayed tasks when the simulation runs storage; starts no thread. */
    private final class Timer extends ScheduledThreadPoolExecutor {
      Timer() {
        super(0);
      }

      @Override
      public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        storage.add(task);
        return null;
      }
    }

    private final class Connection {
      private final EmbeddedChannel channel =
          new EmbeddedChannel(new ChannelInboundHandlerAdapter());
      private final ScarceMemory memory = new ScarceMemory();
      private final List<SimulatedConsumer> consumers = new ArrayList<>();
      private ConnectionFanout fanout;
      private boolean closed;

      Connection() {
        channel.config().setAllocator(memory);
      }

      void add() {
        if (everybody.size() > 40) {
          return;
        }
        if (fanout == null) {
          FrameWriter writer =
              new FrameWriter(channel.pipeline().firstContext(), payload -> payload, -1, null);
          fanout =
              new ConnectionFanout(
                  writer,
                  dispatcher,
                  (consumer, entry) -> ((SimulatedConsumer) consumer).filter(entry),
                  4L * payloadBytes);
          dispatcher.connect(fanout);
        }
        SimulatedConsumer consumer = new SimulatedConsumer(this, everybody.size());
        consumers.add(consumer);
        everybody.add(consumer);
        fanout.add(consumer.fanout);
      }

      /** A skip takes consumers along: none of them has what is before it read. */
      void skipped(long ordinal) {
        for (SimulatedConsumer consumer : consumers) {
          if (!consumer.left && fanout != null) {
            assertThat(consumer.fanout.next).as("%s: skipped", run).isGreaterThanOrEqualTo(ordinal);
          }
        }
      }

      void setWritable(boolean writable) {
        if (!channel.isOpen()) {
          return;
        }
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, writable);
        if (writable && fanout != null) {
          fanout.writabilityChanged();
        }
      }

      boolean pump() {
        boolean busy = channel.hasPendingTasks();
        channel.runPendingTasks();
        ByteBuf read = Unpooled.buffer();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
          read.writeBytes(out);
          out.release();
        }
        busy |= read.isReadable();
        while (read.isReadable()) {
          int frameBytes = read.readInt();
          ByteBuf frame = read.readSlice(frameBytes);
          BaseCommand command = new BaseCommand();
          command.parseFrom(frame, frame.readInt());
          CommandMessage message = command.getMessage();
          int number = frame.readInt();
          assertThat(number)
              .as("%s: the id names the payload", run)
              .isEqualTo((int) message.getMessageId().getEntryId());
          everybody.get((int) message.getConsumerId()).receive(number, message);
        }
        if (!channel.isOpen() && !closed) {
          // Memory has ended, and with it the connection.
          breakOff();
          return true;
        }
        return busy;
      }

      /** The connection is lost, whatever is under way to it; another takes its place. */
      void breakOff() {
        if (fanout != null) {
          close();
          consumers.forEach(SimulatedConsumer::leave);
          connections.set(connections.indexOf(this), new Connection());
        }
      }

      void close() {
        closed = true;
        if (fanout != null) {
          dispatcher.disconnect(fanout);
          fanout.close();
        }
        if (channel.isOpen()) {
          channel.finishAndReleaseAll();
        } else {
          // It would throw what the writes that were not flushed have failed with.
          channel.releaseOutbound();
        }
        assertThat(memory.held()).as("%s: buffers that are held", run).isZero();
      }
    }

    private final class SimulatedConsumer implements ConsumerOwner {
      private final int id;
      private final boolean ordered;
      private final Connection connection;
      private final VirtualCursor cursor;
      private final FanoutConsumer fanout;
      private final int start;
      private int expectedFirst;
      private int needed;

      /** The first entry that it is not beyond; a rewind or seek takes it back. */
      private int next;

      /** Rises with each rewind of the ordered contract, as in a client. */
      private long epoch = Commands.DEFAULT_CONSUMER_EPOCH;

      private int permitsLeft;
      private boolean left;
      private final TreeSet<Integer> received = new TreeSet<>();
      private final TreeSet<Integer> askedAgain = new TreeSet<>();
      private final Map<Integer, Integer> timesAsked = new HashMap<>();

      SimulatedConsumer(Connection connection, int id) {
        this.connection = connection;
        this.id = id;
        this.ordered = random.nextInt(3) > 0;
        this.start = random.nextBoolean() ? log.size() : 0;
        this.cursor = registry.connect("c" + id, 60, () -> start, 0);
        this.expectedFirst = (int) cursor.next();
        this.next = expectedFirst;
        this.fanout = new FanoutConsumer(id, cursor, epoch, ordered, this);
      }

      void flow(int permits) {
        if (!left) {
          permitsLeft += permits;
          connection.fanout.flow(fanout, permits);
        }
      }

      void receive(int number, CommandMessage message) {
        assertThat(permitsLeft--).as("%s: permits", run).isPositive();
        assertThat(isForNobody(number)).isFalse();
        assertThat(isRejected(id, number)).as("%s: filtered", run).isFalse();
        long sentInEpoch =
            message.hasConsumerEpoch()
                ? message.getConsumerEpoch()
                : Commands.DEFAULT_CONSUMER_EPOCH;
        if (sentInEpoch < epoch) {
          // Was on its way when the client asked for everything again, which drops it.
          return;
        }
        assertThat(sentInEpoch).as("%s: epoch", run).isEqualTo(epoch);
        assertThat(message.getRedeliveryCount())
            .as("%s: how often consumer %d asked for %d", run, id, number)
            .isEqualTo(timesAsked.getOrDefault(number, 0));
        received.add(number);
        if (!askedAgain.remove(number)) {
          assertIsNext(number);
        }
      }

      /** In order, once, and after everything before that it needs. */
      private void assertIsNext(int number) {
        assertThat(number)
            .as("%s: I2, consumer %d in epoch %d", run, id, epoch)
            .isGreaterThanOrEqualTo(next);
        assertNothingLeftOutBefore(number);
        next = number + 1;
      }

      private void assertNothingLeftOutBefore(int end) {
        assertThat(IntStream.range(next, end))
            .as("%s: left out before %d, consumer %d in epoch %d", run, end, id, epoch)
            .allMatch(
                ordinal ->
                    isForNobody(ordinal)
                        || isRejected(id, ordinal)
                        || cursor.isAcknowledged(ordinal));
      }

      Verdict filter(BroadcastEntry entry) {
        return isRejected(id, entry.ordinal()) ? Verdict.REJECT : Verdict.ACCEPT;
      }

      @Override
      public void filtered(BroadcastEntry entry, Verdict verdict) {
        cursor.ackIndividual(entry.ordinal());
      }

      @Override
      public long deliverAtMillis(BroadcastEntry entry) {
        return 0;
      }

      @Override
      public int maxUnacknowledgedEntries() {
        return id % 3 == 0 ? 20 : 0;
      }

      @Override
      public void close() {
        // The simulation removes its consumers itself.
      }

      /** Negative acknowledgement of one entry. */
      void askAgain() {
        connection.pump();
        if (!received.isEmpty() && !left && !ordered) {
          int number = new ArrayList<>(received).get(random.nextInt(received.size()));
          expectAgain(number);
          connection.fanout.redeliver(fanout, new long[] {number});
        }
      }

      private void expectAgain(int number) {
        if (!cursor.isAcknowledged(number) && askedAgain.add(number)) {
          timesAsked.merge(number, 1, Integer::sum);
        }
      }

      void assertAllCameThatWasAskedFor() {
        askedAgain.removeIf(number -> cursor.isAcknowledged(number) || number < needed);
        if (!left) {
          assertThat(askedAgain).as("%s: asked for again by %d", run, id).isEmpty();
        }
      }

      /** Acknowledges everything it has when it is blocked; whether it was. */
      boolean acknowledgeToUnblock() {
        if (left || !fanout.isBlocked()) {
          return false;
        }
        received.forEach(cursor::ackIndividual);
        if (fanout.mayUnblock()) {
          connection.fanout.unblock(fanout);
        }
        return true;
      }

      void acknowledgeSome() {
        if (!received.isEmpty() && !left) {
          int number = new ArrayList<>(received).get(random.nextInt(received.size()));
          if (random.nextBoolean()) {
            cursor.ackCumulative(number);
          } else {
            cursor.ackIndividual(number);
          }
        }
      }

      void rewind() {
        if (left) {
          return;
        }
        if (ordered) {
          epoch++;
          next = (int) cursor.next();
        } else {
          connection.pump();
          received.forEach(this::expectAgain);
        }
        connection.fanout.rewind(fanout, epoch);
      }

      void leave() {
        if (left) {
          return;
        }
        left = true;
        connection.fanout.remove(fanout);
        registry.disconnect(cursor);
      }

      void seekToStart() {
        if (!left && ordered) {
          received.clear();
          needed = 0;
          expectedFirst = 0;
          next = 0;
          cursor.reset(0);
          flow(100_000);
          connection.fanout.startAgain(fanout);
        }
      }

      void assertComplete(int end) {
        if (left) {
          return;
        }
        List<Integer> expected = new ArrayList<>();
        for (int i = Math.max(expectedFirst, needed); i < end; i++) {
          if (!isForNobody(i) && !isRejected(id, i)) {
            expected.add(i);
          }
        }
        assertThat(received.tailSet(needed)).as("%s: I1", run).containsExactlyElementsOf(expected);
        assertNothingLeftOutBefore(end);
      }
    }
  }
}
