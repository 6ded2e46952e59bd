/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.pulsarbroadcast.broker.PieceBenchmark;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.metrics.MetricLabels;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.protocol.Commands;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One message to all consumers of one connection, up to the socket: {@link ConnectionFanout}
 * against a task, a frame by the broker's encoder, a write and a flush for each consumer, as the
 * broker sends to N subscriptions. 6,250 are the share of one of 16 connections in 100,000.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TailDispatchBenchmark extends PieceBenchmark {
  private static final int PERMITS = Integer.MAX_VALUE / 2;
  private static final Runnable NOTHING = () -> {};

  /** Takes everything at once, like a socket that never fills up. */
  private static final class Sink extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      ReferenceCountUtil.release(message);
      promise.trySuccess();
    }

    @Override
    public void flush(ChannelHandlerContext context) {}
  }

  /** A tail at which nothing is published; the benchmark hands over entries itself. */
  private static final class NoEntries implements EntrySource {
    @Override
    public void readTail(DispatchQuota.Share max, ReadCallback callback) {}

    @Override
    public boolean cancelTail() {
      return false;
    }

    @Override
    public void skipTail(long ordinal) {
      // Nobody skips.
    }

    @Override
    public void leapTail(long ordinal) {
      // Nobody is far ahead.
    }

    @Override
    public void readBehind(long from, long to, DispatchQuota.Share max, ReadCallback callback) {}

    @Override
    public void close() {}
  }

  /** A consumer that wants everything. */
  private static final class Owner implements ConsumerOwner {
    @Override
    public void filtered(BroadcastEntry entry, Verdict verdict) {}

    @Override
    public long deliverAtMillis(BroadcastEntry entry) {
      return 0;
    }

    @Override
    public int maxUnacknowledgedEntries() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @Param("6250")
  int consumers;

  @Param({"100", "10240"})
  int payloadBytes;

  private ScheduledExecutorService timer;
  private EmbeddedChannel channel;
  private ChannelHandlerContext out;
  private ConnectionFanout fanout;
  private ByteBuf payload;
  private long ordinal;

  /** For each iteration anew: nothing is acknowledged and permits are not renewed. */
  @Setup(Level.Iteration)
  public void start() {
    timer = Executors.newSingleThreadScheduledExecutor();
    channel = new EmbeddedChannel(new Sink(), new ChannelInboundHandlerAdapter());
    out = channel.pipeline().lastContext();
    payload = PooledByteBufAllocator.DEFAULT.directBuffer(payloadBytes).writeZero(payloadBytes);
    CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
    BroadcastDispatcher dispatcher =
        new BroadcastDispatcher(
            "benchmark",
            new NoEntries(),
            DispatchQuota.UNLIMITED,
            0,
            Runnable::run,
            timer,
            Long.MAX_VALUE,
            new BroadcastMetrics(new MetricLabels("benchmark", true, true, false), () -> 0)
                .subscription("public/default", "topic", "subscription"));
    fanout =
        new ConnectionFanout(
            new FrameWriter(out, stored -> stored, -1, null),
            dispatcher,
            (consumer, entry) -> ConsumerOwner.Verdict.ACCEPT,
            Long.MAX_VALUE);
    dispatcher.connect(fanout);
    for (int i = 0; i < consumers; i++) {
      FanoutConsumer consumer =
          new FanoutConsumer(
              i,
              registry.connect("consumer-" + i, 60, () -> 0, 0),
              Commands.DEFAULT_CONSUMER_EPOCH,
              true,
              new Owner());
      fanout.add(consumer);
      fanout.flow(consumer, PERMITS);
    }
    ordinal = 0;
  }

  @TearDown(Level.Iteration)
  public void stop() {
    fanout.close();
    channel.finishAndReleaseAll();
    payload.release();
    timer.shutdownNow();
  }

  @Benchmark
  public long connectionFanout() {
    long next = ordinal++;
    fanout.offerTail(
        List.of(new BroadcastEntry(next, next, 1, next, 1, null, payload.retainedDuplicate())),
        next + 1,
        NOTHING);
    return ordinal;
  }

  @Benchmark
  public long writePerConsumer() {
    long next = ordinal++;
    for (int i = 0; i < consumers; i++) {
      int consumer = i;
      channel
          .eventLoop()
          .execute(
              () ->
                  out.writeAndFlush(
                      Commands.serializeCommandMessageWithSize(
                          Commands.newMessageCommand(
                              consumer, 1, next, -1, 0, null, Commands.DEFAULT_CONSUMER_EPOCH),
                          payload.retainedDuplicate()),
                      out.newPromise()));
    }
    channel.runPendingTasks();
    return ordinal;
  }
}
