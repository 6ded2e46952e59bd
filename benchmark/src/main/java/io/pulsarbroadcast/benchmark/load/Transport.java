/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.util.netty.EventLoopUtil;

/** The event loops of a fleet: epoll where there is epoll. One thread at a time may call it. */
final class Transport implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final int MIN_READ_BYTES = 4 * 1024;
  private static final int INITIAL_READ_BYTES = 64 * 1024;
  private static final int MAX_READ_BYTES = 256 * 1024;

  private final EventLoopGroup group;
  private final EventLoop[] loops;
  private final Bootstrap bootstrap;

  Transport(int ioThreads) {
    DefaultThreadFactory threads = new DefaultThreadFactory("load", true);
    group = EventLoopUtil.newEventLoopGroup(ioThreads, false, threads);
    loops = new EventLoop[ioThreads];
    for (int i = 0; i < ioThreads; i++) {
      loops[i] = group.next();
    }
    bootstrap =
        new Bootstrap()
            .channel(EventLoopUtil.getClientSocketChannelClass(group))
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .option(
                ChannelOption.RCVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(
                    MIN_READ_BYTES, INITIAL_READ_BYTES, MAX_READ_BYTES));
  }

  Bootstrap bootstrap() {
    return bootstrap;
  }

  int loopCount() {
    return loops.length;
  }

  EventLoop loop(int index) {
    return loops[index];
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
