/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.common.util.netty.EventLoopUtil;

/**
 * The floor's server. Any thread may call it; each connection is served by its event loop.
 *
 * <p>It has as many event loops as a broker ({@code numIOThreads}: two per core).
 */
public final class FloorServer implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int BACKLOG = 1024;
  private static final int LOW_WATER_BYTES = 128 * 1024;
  private static final int HIGH_WATER_BYTES = 256 * 1024;

  private final EventLoopGroup group;
  private final Channel listener;
  private final String serviceUrl;
  private final AtomicLong nextEntryId = new AtomicLong();

  /** Per event loop its connections, touched by that event loop only. */
  private final Map<EventExecutor, List<FloorFanout>> connections = new HashMap<>();

  /** Listens on a free port. */
  public FloorServer() {
    int ioThreads = 2 * Runtime.getRuntime().availableProcessors();
    DefaultThreadFactory threads = new DefaultThreadFactory("floor", true);
    group = EventLoopUtil.newEventLoopGroup(ioThreads, false, threads);
    group.forEach(loop -> connections.put(loop, new ArrayList<>()));
    listener =
        new ServerBootstrap()
            .group(group)
            .channel(EventLoopUtil.getServerSocketChannelClass(group))
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(LOW_WATER_BYTES, HIGH_WATER_BYTES))
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new FloorConnection(FloorServer.this));
                  }
                })
            .bind(new InetSocketAddress(HOST, 0))
            .syncUninterruptibly()
            .channel();
    int port = ((InetSocketAddress) listener.localAddress()).getPort();
    serviceUrl = "pulsar://" + HOST + ":" + port;
  }

  /** Where to connect to. */
  public String serviceUrl() {
    return serviceUrl;
  }

  void opened(FloorFanout connection, EventLoop loop) {
    connections.get(loop).add(connection);
  }

  void closed(FloorFanout connection, EventLoop loop) {
    connections.get(loop).remove(connection);
  }

  /** Writes a message to every consumer there is; takes over the one reference to it. */
  long publish(ByteBuf bytes) {
    FloorMessage message = new FloorMessage(nextEntryId.getAndIncrement(), bytes);
    connections.forEach(
        (loop, ofLoop) -> {
          message.retain();
          loop.execute(
              () -> {
                ofLoop.forEach(connection -> connection.offer(message.retain()));
                message.release();
              });
        });
    message.release();
    return message.entryId();
  }

  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
