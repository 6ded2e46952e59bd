/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.ClientCnx;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.client.impl.PulsarClientImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.util.collections.BitSetRecyclable;

/**
 * A connection of a stock Java client, and what is sent down it by hand: to the subscription "all",
 * of consumers that the client does not know. Any thread may call it.
 */
final class RawConnection {

  /** Ids of consumers that the client does not give itself: this one and those after it. */
  static final long FIRST = 1_000_000;

  /** For an answer that must come. */
  static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final PulsarClientImpl client;
  private final ClientCnx connection;
  private volatile long lastRequest;

  RawConnection(Broker broker, PulsarClient client) throws Exception {
    this.client = (PulsarClientImpl) client;
    URI service = URI.create(broker.process().serviceUrl());
    this.connection =
        this.client
            .getCnxPool()
            .getConnection(new InetSocketAddress(service.getHost(), service.getPort()))
            .get();
  }

  /** Whether something succeeds. */
  static CompletableFuture<Boolean> isDone(CompletableFuture<?> asked) {
    return asked.handle((done, e) -> e == null);
  }

  /** What the broker says from now on, of what is wanted, in its order. */
  Queue<BaseCommand> heard(Predicate<BaseCommand> wanted) {
    Queue<BaseCommand> heard = new ConcurrentLinkedQueue<>();
    connection
        .ctx()
        .pipeline()
        .addBefore(
            connection.ctx().name(),
            null,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object frame) {
                ByteBuf bytes = ((ByteBuf) frame).duplicate();
                BaseCommand command = new BaseCommand();
                command.parseFrom(bytes, (int) bytes.readUnsignedInt());
                if (wanted.test(command)) {
                  heard.add(new BaseCommand().copyFrom(command));
                }
                context.fireChannelRead(frame);
              }
            });
    return heard;
  }

  /** The id of the last request. */
  long lastRequest() {
    return lastRequest;
  }

  CompletableFuture<?> subscribe(long consumerId, String topic, String name) {
    return subscribe(consumerId, topic, name, true);
  }

  CompletableFuture<?> subscribe(long consumerId, String topic, String name, boolean durable) {
    return subscribe(consumerId, topic, name, subscribe -> subscribe.setDurable(durable));
  }

  /** Subscribes a consumer that does not ask for Broadcast. */
  CompletableFuture<?> subscribePlain(long consumerId, String topic, String name) {
    return subscribe(consumerId, topic, name, CommandSubscribe::clearMetadata);
  }

  /** Subscribes a durable consumer whose position does not wait for its return. */
  CompletableFuture<?> subscribeBriefly(long consumerId, String topic, String name) {
    return subscribe(
        consumerId,
        topic,
        name,
        subscribe ->
            subscribe.addMetadata().setKey("pulsar.broadcast.cursor.ttl.seconds").setValue("0"));
  }

  /** Subscribes a durable consumer that wants to start so long ago. */
  CompletableFuture<?> subscribeBack(
      long consumerId, String topic, String name, Duration rollback) {
    return subscribe(
        consumerId,
        topic,
        name,
        subscribe -> subscribe.setStartMessageRollbackDurationSec(rollback.toSeconds()));
  }

  private CompletableFuture<?> subscribe(
      long consumerId, String topic, String name, Consumer<CommandSubscribe> options) {
    return request(
        requestId -> {
          BaseCommand command = new BaseCommand().setType(BaseCommand.Type.SUBSCRIBE);
          CommandSubscribe subscribe =
              command
                  .setSubscribe()
                  .setTopic(topic)
                  .setSubscription("all")
                  .setSubType(SubType.Exclusive)
                  .setConsumerId(consumerId)
                  .setRequestId(requestId);
          subscribe.addMetadata().setKey("pulsar.subscription.type").setValue("Broadcast");
          options.accept(subscribe);
          if (name != null) {
            subscribe.setConsumerName(name);
          }
          return Commands.serializeWithSize(command);
        });
  }

  CompletableFuture<?> unsubscribe(long consumerId) {
    return request(requestId -> Commands.newUnsubscribe(consumerId, requestId));
  }

  CompletableFuture<?> close(long consumerId) {
    return request(requestId -> Commands.newCloseConsumer(consumerId, requestId));
  }

  CompletableFuture<?> seek(long consumerId, MessageIdImpl id) {
    return request(
        requestId ->
            Commands.newSeek(
                consumerId, requestId, id.getLedgerId(), id.getEntryId(), new long[0]));
  }

  /** Reads nothing any more, so that the broker takes the client for dead when it asks it. */
  void fallSilent() {
    // On the event loop, because a read that is pending would be done yet.
    connection
        .ctx()
        .executor()
        .submit(() -> connection.ctx().channel().config().setAutoRead(false))
        .syncUninterruptibly();
  }

  /** Sends what was written, and is gone. */
  void disconnect() {
    connection.ctx().close().syncUninterruptibly();
  }

  /** Acknowledges everything up to a message; completed when that is on its way. */
  Future<?> acknowledge(long consumerId, MessageIdImpl id) {
    return acknowledge(consumerId, id, AckType.Cumulative, null);
  }

  /**
   * Acknowledges single messages of a batch.
   *
   * @param remaining a bit for each message that is not acknowledged
   */
  void acknowledgePart(long consumerId, MessageIdImpl id, long[] remaining) {
    acknowledge(
        consumerId, id, AckType.Individual, BitSetRecyclable.create().resetWords(remaining));
  }

  private Future<?> acknowledge(
      long consumerId, MessageIdImpl id, AckType type, BitSetRecyclable remaining) {
    return write(
        Commands.newAck(
            consumerId, id.getLedgerId(), id.getEntryId(), remaining, type, null, Map.of(), -1));
  }

  /** Acknowledges nothing, a number of times, and then single messages: all with one command. */
  void acknowledgeAfterNothing(long consumerId, int times, List<MessageIdImpl> ids) {
    BaseCommand command = new BaseCommand().setType(BaseCommand.Type.ACK);
    CommandAck ack = command.setAck().setConsumerId(consumerId).setAckType(AckType.Individual);
    for (int i = 0; i < times; i++) {
      ack.addMessageId().setLedgerId(0).setEntryId(0);
    }
    ids.forEach(id -> ack.addMessageId().setLedgerId(id.getLedgerId()).setEntryId(id.getEntryId()));
    write(Commands.serializeWithSize(command));
  }

  Future<?> write(ByteBuf command) {
    return connection.ctx().writeAndFlush(command);
  }

  private CompletableFuture<?> request(LongFunction<ByteBuf> command) {
    long requestId = client.newRequestId();
    lastRequest = requestId;
    // Whatever it is, its answer is one of success or an error.
    return connection.newAckForReceipt(command.apply(requestId), requestId);
  }
}
