/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandConnected;
import org.apache.pulsar.common.api.proto.CommandError;
import org.apache.pulsar.common.api.proto.CommandLookupTopicResponse;
import org.apache.pulsar.common.api.proto.CommandMessage;

/**
 * A connection and its share of the consumers: connects, looks the topic up, subscribes, and does
 * so again when the connection is lost. Only its event loop may call it.
 */
final class BrokerConnection {
  private static final long SEEK_ID_BASE = 1L << 51;
  private static final long MIN_BACKOFF_MILLIS = 100;
  private static final long MAX_BACKOFF_MILLIS = 2_000;

  /**
   * How long acknowledgements wait for more of the same connection, as by default in the Java
   * client. Else a read of a few messages is a system call for a few acknowledgements.
   */
  private static final long GROUPING_MILLIS = 100;

  private final LoadConfig config;
  private final Bootstrap bootstrap;
  private final EventLoop loop;
  private final ConnectGate gate;
  private final LoopStats stats;
  private final FleetCounters counters;
  private final CommandWriter writer;
  private final SubscribePump pump;
  private final TimedAcks timedAcks;
  private final int index;
  private final MessageReceiver receiver;
  private final TopicLookup lookup;

  private boolean redirecting;
  private boolean opening;
  private boolean retryScheduled;
  private boolean flushScheduled;
  private boolean closing;
  private Channel channel;
  private long backoffMillis = MIN_BACKOFF_MILLIS;

  BrokerConnection(
      LoadConfig config,
      Bootstrap bootstrap,
      EventLoop loop,
      ConnectGate gate,
      ConsumerTable table,
      LoopStats stats,
      FleetCounters counters,
      int index,
      int firstConsumer,
      int endConsumer) {
    this.config = config;
    this.bootstrap = bootstrap;
    this.loop = loop;
    this.gate = gate;
    this.stats = stats;
    this.counters = counters;
    this.writer = new CommandWriter(io.netty.buffer.PooledByteBufAllocator.DEFAULT);
    this.pump = new SubscribePump(config, table, counters, writer, firstConsumer, endConsumer);
    this.index = index;
    this.timedAcks =
        config.ackPolicy.kind() == AckPolicy.Kind.CUMULATIVE_TIMED
            ? new TimedAcks(config.ackPolicy, table, writer, firstConsumer, endConsumer)
            : null;
    this.receiver = new MessageReceiver(config, table, stats, writer);
    this.lookup = new TopicLookup(config, counters, writer);
  }

  /** Connects for the first time. */
  void start() {
    if (timedAcks != null) {
      timedAcks.start(loop, this::flush);
    }
    open();
  }

  private void open() {
    gate.enter(this::connect);
  }

  private void connect() {
    opening = true;
    if (closing) {
      opened();
      return;
    }
    InetSocketAddress address = lookup.target().socketAddress();
    ChannelFuture connecting =
        bootstrap
            .clone(loop)
            .handler(new BrokerSession(this))
            .connect(address, SourceAddresses.of(index, address));
    connecting.addListener(
        future -> {
          if (!future.isSuccess()) {
            opened();
            note(future.cause());
            comeBack("Cannot connect to " + lookup.target() + ": " + future.cause().getMessage());
          }
        });
  }

  /** The server has answered, or will not: the next connection may be opened. */
  private void opened() {
    if (opening) {
      opening = false;
      gate.leave();
    }
  }

  void active(Channel active) {
    channel = active;
    redirecting = false;
    if (closing) {
      active.close();
      return;
    }
    writer.connect(lookup.target().proxyTarget());
    flush();
  }

  void command(BaseCommand command, ByteBuf buffer, int frameEnd) {
    switch (command.getType()) {
      case MESSAGE -> message(command.getMessage(), buffer, frameEnd);
      case CONNECTED -> connected(command.getConnected());
      case LOOKUP_RESPONSE -> lookedUp(command.getLookupTopicResponse());
      case SUCCESS -> succeeded(command.getSuccess().getRequestId());
      case ERROR -> refused(command.getError());
      case CLOSE_CONSUMER -> {
        if (pump.closedByBroker(command.getCloseConsumer().getConsumerId())) {
          retryLater();
        }
      }
      case PING -> writer.pong();
      case ACK_RESPONSE -> receiver.receipt(command.getAckResponse());
      case PONG, ACTIVE_CONSUMER_CHANGE, REACHED_END_OF_TOPIC -> {}
      default -> counters.protocolError("Unexpected command " + command.getType());
    }
  }

  private void message(CommandMessage message, ByteBuf buffer, int frameEnd) {
    long consumer = message.getConsumerId();
    if (pump.owns(consumer)) {
      receiver.message((int) consumer, message, buffer, frameEnd);
    } else {
      counters.protocolError("Message for unknown consumer " + consumer);
    }
  }

  private void connected(CommandConnected connected) {
    opened();
    // Some brokers say "Pulsar Server3.3.6".
    counters.brokerVersion =
        connected.getServerVersion().replaceFirst("Pulsar Server *", "Pulsar ");
    if (lookup.isTargetOwner()) {
      pump.pump();
    } else {
      lookup.ask();
    }
  }

  private void succeeded(long requestId) {
    if (requestId < SEEK_ID_BASE) {
      backoffMillis = MIN_BACKOFF_MILLIS;
      pump.succeeded(requestId);
      pump.pump();
    }
  }

  private void refused(CommandError error) {
    if (error.getRequestId() < 0 || !channel.isActive()) {
      counters.note(error.getError() + ": " + error.getMessage());
    } else if (pump.refused(error.getRequestId(), error.getError(), error.getMessage())) {
      retryLater();
    } else {
      pump.pump();
    }
  }

  private void lookedUp(CommandLookupTopicResponse response) {
    if (SubscribePump.isOfConsumer(response.getRequestId())) {
      if (pump.lookedUp(response.getRequestId(), lookup.confirms(response))) {
        retryLater();
      }
      return;
    }
    switch (lookup.answered(response)) {
      case SUBSCRIBE -> pump.pump();
      case ASK -> lookup.ask();
      case MOVE -> {
        redirecting = true;
        channel.close();
      }
      case RETRY -> retryLater();
    }
  }

  /** Asks again where the topic is after a while; then the consumers that wait are tried again. */
  private void retryLater() {
    if (retryScheduled || closing) {
      return;
    }
    retryScheduled = true;
    loop.schedule(
        () -> {
          retryScheduled = false;
          if (channel != null && channel.isActive()) {
            lookup.ask();
            flush();
          }
        },
        nextBackoffMillis(),
        TimeUnit.MILLISECONDS);
  }

  void readComplete() {
    stats.publish();
    if (!writer.canWait()) {
      flush();
    } else if (!flushScheduled) {
      flushScheduled = true;
      loop.schedule(
          () -> {
            flushScheduled = false;
            flush();
          },
          GROUPING_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }

  /** Sends everything that has been collected. */
  private void flush() {
    ByteBuf commands = writer.take();
    if (commands == null) {
      return;
    }
    if (channel == null || !channel.isActive()) {
      commands.release();
    } else {
      channel.writeAndFlush(commands, channel.voidPromise());
    }
  }

  void lost(Channel gone) {
    if (gone != channel) {
      return;
    }
    channel = null;
    opened();
    stats.publish();
    writer.discard();
    pump.connectionLost();
    if (closing) {
      return;
    }
    if (redirecting) {
      open();
      return;
    }
    counters.connectionsLost.incrementAndGet();
    comeBack("Connection to " + lookup.target() + " was lost");
  }

  private void comeBack(String error) {
    if (closing) {
      return;
    }
    if (!config.reconnect) {
      counters.fatalError.compareAndSet(null, error);
      return;
    }
    lookup.startOver();
    loop.schedule(this::open, nextBackoffMillis(), TimeUnit.MILLISECONDS);
  }

  private long nextBackoffMillis() {
    long millis = backoffMillis;
    backoffMillis = Math.min(MAX_BACKOFF_MILLIS, millis * 2);
    return millis;
  }

  private void note(Throwable cause) {
    counters.note(cause.toString());
  }

  /** The channel ends by it. Unless the network failed, the broker sent what nobody understands. */
  void failed(Throwable cause) {
    if (cause instanceof IOException) {
      note(cause);
    } else {
      counters.protocolError(cause.toString());
    }
  }

  /**
   * Ends the connection with a reset, as a crash of the client would; it comes back if so
   * configured.
   */
  void drop() {
    if (channel != null) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
      channel.close();
    }
  }

  /** Unsubscribes every consumer that is subscribed. */
  void leave() {
    pump.leave();
    flush();
  }

  /** Reads nothing any more, until told to; the broker's socket fills. */
  void reading(boolean on) {
    if (channel != null) {
      channel.config().setAutoRead(on);
    }
  }

  /** Tells the broker that this end is alive, unasked: it closes connections that keep silent. */
  void keepAlive() {
    writer.pong();
    flush();
  }

  /** Gives each of the consumers more permits. */
  void grantPermits(int first, int end, int permits) {
    for (int consumer = first; consumer < end; consumer++) {
      writer.flow(consumer, permits);
    }
    flush();
  }

  /** Moves a consumer; the broker closes it, and with reconnect it comes back there. */
  void seek(int consumer, long ledgerId, long entryId) {
    writer.seek(consumer, SEEK_ID_BASE + consumer, ledgerId, entryId);
    flush();
  }

  void close() {
    closing = true;
    if (channel != null) {
      channel.close();
    }
  }
}
