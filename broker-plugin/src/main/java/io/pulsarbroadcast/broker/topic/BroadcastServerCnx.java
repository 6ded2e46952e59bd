/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import com.google.common.base.Strings;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.collection.LongObjectHashMap;
import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.dispatch.ConnectionFanout;
import io.pulsarbroadcast.broker.dispatch.FanoutConsumer;
import io.pulsarbroadcast.broker.dispatch.FrameWriter;
import io.pulsarbroadcast.broker.stats.ConsumerLogFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.service.ServerCnx;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandCloseConsumer;
import org.apache.pulsar.common.api.proto.CommandConnect;
import org.apache.pulsar.common.api.proto.CommandGetLastMessageId;
import org.apache.pulsar.common.api.proto.CommandSeek;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.ProtocolVersion;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.naming.TopicDomain;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.protocol.CommandUtils;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.util.FutureUtil;

/**
 * A client's connection, with the fan-out of each Broadcast subscription that has consumers on it.
 * Commands and channel events arrive on its event loop, to which the fan-outs are confined; what
 * other threads ask for hops there.
 *
 * <p>Commands that the broker applies to a whole subscription and that are one consumer's own
 * business here are taken over; everything else is left to the broker.
 */
final class BroadcastServerCnx extends ServerCnx {

  private final boolean exposesBrokerMetadata;
  private final boolean intercepted;
  private final IdentityHashMap<BroadcastSubscription, Attached> fanouts = new IdentityHashMap<>();

  private final NewNames newNames = new NewNames(Duration.ofMinutes(1));
  private final SoughtPositions sought = new SoughtPositions(System::nanoTime);

  /** The Broadcast consumers by the id that the client gave them. */
  private final LongObjectHashMap<BroadcastConsumer> consumersById = new LongObjectHashMap<>();

  private boolean peerTakesBrokerMetadata;
  private volatile boolean refusedAckLogged;

  /** See {@link #address}; null until somebody asks. */
  private volatile byte[] address;

  /** What one subscription sends down this connection, and to how many consumers. */
  private static final class Attached {
    private final ConnectionFanout fanout;
    private int consumers;

    Attached(ConnectionFanout fanout) {
      this.fanout = fanout;
    }
  }

  BroadcastServerCnx(PulsarService pulsar, String listenerName) {
    super(pulsar, listenerName);
    this.intercepted = pulsar.getBrokerService().getInterceptor() != null;
    this.exposesBrokerMetadata =
        pulsar.getConfiguration().isExposingBrokerEntryMetadataToClientEnabled();
  }

  /** Adds a consumer to what its subscription sends down this connection. From any thread. */
  void add(BroadcastSubscription subscription, BroadcastConsumer consumer) {
    onEventLoop(
        () -> {
          if (!consumer.attach()) {
            return;
          }
          consumersById.put(consumer.consumerId(), consumer);
          Attached attached =
              fanouts.computeIfAbsent(subscription, s -> new Attached(s.newFanout(newWriter(s))));
          attached.consumers++;
          attached.fanout.execute(() -> attached.fanout.add(consumer.fanout()));
        });
  }

  /** Removes a consumer, if it was added; it may be closed before that. From any thread. */
  void remove(BroadcastSubscription subscription, BroadcastConsumer consumer) {
    onEventLoop(
        () -> {
          if (!consumer.isAttached()) {
            return;
          }
          if (consumersById.get(consumer.consumerId()) == consumer) {
            consumersById.remove(consumer.consumerId());
          }
          Attached attached = fanouts.get(subscription);
          if (attached != null) {
            attached.fanout.execute(() -> attached.fanout.remove(consumer.fanout()));
            if (--attached.consumers == 0) {
              fanouts.remove(subscription);
              subscription.closed(attached.fanout);
            }
          }
        });
  }

  /** Lets a consumer be sent more. From any thread. */
  void flow(BroadcastSubscription subscription, FanoutConsumer consumer, int messages) {
    withFanout(subscription, fanout -> fanout.flow(consumer, messages));
  }

  /** Sends a consumer again what it has not acknowledged. From any thread. */
  void rewind(BroadcastSubscription subscription, FanoutConsumer consumer, long epoch) {
    withFanout(subscription, fanout -> fanout.rewind(consumer, epoch));
  }

  /** Sends a consumer everything from its position on, which was moved. From any thread. */
  void startAgain(BroadcastSubscription subscription, FanoutConsumer consumer) {
    withFanout(subscription, fanout -> fanout.startAgain(consumer));
  }

  /** Sends a consumer single entries again. From any thread. */
  void redeliver(BroadcastSubscription subscription, FanoutConsumer consumer, long[] ordinals) {
    withFanout(subscription, fanout -> fanout.redeliver(consumer, ordinals));
  }

  /** Lets a consumer that was blocked be sent more. From any thread. */
  void unblock(BroadcastSubscription subscription, FanoutConsumer consumer) {
    withFanout(subscription, fanout -> fanout.unblock(consumer));
  }

  /** Where consumers without a durable position sought, until they reconnect. From any thread. */
  SoughtPositions sought() {
    return sought;
  }

  /** The names without a position that it brings. From any thread. */
  NewNames newNames() {
    return newNames;
  }

  /** A name for a consumer that has none; nobody else's. From any thread. */
  String nameOf(long consumerId) {
    return "unnamed-" + ctx().channel().id().asLongText() + "-" + consumerId;
  }

  /**
   * The client's IP address in ASCII, empty if it is not known: one array for all consumers, which
   * their positions keep. From any thread.
   */
  byte[] address() {
    if (address == null) {
      address = Strings.nullToEmpty(clientSourceAddress()).getBytes(StandardCharsets.US_ASCII);
    }
    return address;
  }

  /** True once per connection. */
  boolean isFirstRefusedAck() {
    boolean first = !refusedAckLogged;
    refusedAckLogged = true;
    return first;
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    super.channelWritabilityChanged(ctx);
    if (ctx.channel().isWritable()) {
      for (Attached attached : fanouts.values()) {
        attached.fanout.execute(attached.fanout::writabilityChanged);
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    super.channelInactive(ctx);
    // The broker has closed the consumers it knows; one that was just being created may be left.
    for (Map.Entry<BroadcastSubscription, Attached> left : List.copyOf(fanouts.entrySet())) {
      left.getKey().closed(left.getValue().fanout);
    }
    fanouts.clear();
  }

  @Override
  protected void handleConnect(CommandConnect connect) {
    peerTakesBrokerMetadata =
        connect.hasFeatureFlags() && connect.getFeatureFlags().isSupportsBrokerEntryMetadata();
    super.handleConnect(connect);
  }

  /**
   * Refuses what cannot be Broadcast before the broker creates a topic for it, and without a line
   * in the log: client libraries ask with an unknown value whether the plugin is there.
   */
  @Override
  protected void handleSubscribe(CommandSubscribe subscribe) {
    Map<String, String> properties = CommandUtils.metadataFromCommand(subscribe);
    if (!BroadcastContract.namesType(properties)) {
      super.handleSubscribe(subscribe);
      return;
    }
    String refusal = isHandshakeCompleted() ? refusalOf(subscribe, properties) : null;
    if (refusal == null) {
      ConsumerLogFilter.quietly(() -> super.handleSubscribe(subscribe));
    } else {
      getCommandSender()
          .sendErrorResponse(subscribe.getRequestId(), ServerError.NotAllowedError, refusal);
    }
  }

  /**
   * Takes the result of a Broadcast subscribe to the event loop, where the broker answers the
   * client. From any thread.
   */
  <T> CompletableFuture<T> answered(CompletableFuture<T> result) {
    CompletableFuture<T> answered = new CompletableFuture<>();
    result.whenComplete(
        (value, e) ->
            onEventLoop(
                () ->
                    ConsumerLogFilter.quietly(
                        () -> {
                          if (e == null) {
                            answered.complete(value);
                          } else {
                            answered.completeExceptionally(FutureUtil.unwrapCompletionException(e));
                          }
                        })));
    return answered;
  }

  /** Whether a consumer's subscribe is still to be answered, and not given up. From any thread. */
  boolean isAnswerDue(BroadcastConsumer consumer) {
    return isAnswerDue(getConsumers().get(consumer.consumerId()));
  }

  private static boolean isAnswerDue(CompletableFuture<?> subscribed) {
    return subscribed != null && !subscribed.isDone();
  }

  /**
   * Tells a consumer's client something as soon as its subscribe is answered, unless the consumer
   * is gone by then: a client that learns that it is closed or sent away, and then that it has
   * subscribed, waits for ever. From any thread.
   */
  void onceAnswered(BroadcastConsumer consumer, Runnable telling) {
    CompletableFuture<?> subscribed = getConsumers().get(consumer.consumerId());
    if (!isAnswerDue(subscribed)) {
      telling.run();
      return;
    }
    // The broker sends its answer after this, in the same task of the event loop.
    subscribed.whenComplete(
        (done, e) ->
            ctx()
                .executor()
                .execute(
                    () -> {
                      if (!consumer.isClosed()) {
                        ConsumerLogFilter.quietly(telling);
                      }
                    }));
  }

  private static String refusalOf(CommandSubscribe subscribe, Map<String, String> properties) {
    try {
      BroadcastContract.check(
          properties,
          subscribe.getSubType(),
          subscribe.getSubscription(),
          subscribe.hasConsumerName() ? subscribe.getConsumerName() : "");
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
    return subscribe.getTopic().startsWith(TopicDomain.non_persistent.value() + "://")
        ? "A Broadcast subscription needs a persistent topic, and "
            + subscribe.getTopic()
            + " is not"
        : null;
  }

  @Override
  protected void handleCloseConsumer(CommandCloseConsumer close) {
    if (consumersById.containsKey(close.getConsumerId())) {
      ConsumerLogFilter.quietly(() -> super.handleCloseConsumer(close));
    } else {
      super.handleCloseConsumer(close);
    }
  }

  /**
   * An acknowledgement that wants no answer goes straight to its consumer: there are as many as
   * deliveries, and the broker's way costs two futures and two lambdas each. Only a connection
   * whose handshake is done has consumers.
   */
  @Override
  protected void handleAck(CommandAck ack) {
    BroadcastConsumer consumer =
        ack.hasRequestId() || intercepted ? null : consumersById.get(ack.getConsumerId());
    if (consumer == null) {
      super.handleAck(ack);
    } else {
      consumer.messageAcked(ack);
    }
  }

  /** The consumer of an id, also one that is closed and of which its client does not know that. */
  private BroadcastConsumer known(long consumerId) {
    CompletableFuture<?> subscribed = getConsumers().get(consumerId);
    return subscribed != null
            && subscribed.isDone()
            && !subscribed.isCompletedExceptionally()
            && subscribed.join() instanceof BroadcastConsumer consumer
        ? consumer
        : consumersById.get(consumerId);
  }

  /** Moves the one consumer; the broker would move the subscription. */
  @Override
  protected void handleSeek(CommandSeek seek) {
    BroadcastConsumer consumer = known(seek.getConsumerId());
    if (consumer == null || !(seek.hasMessageId() || seek.hasMessagePublishTime())) {
      super.handleSeek(seek);
      return;
    }
    CompletableFuture<Void> done =
        seek.hasMessageId()
            ? consumer.seek(seek.getMessageId())
            : consumer.seek(seek.getMessagePublishTime());
    long requestId = seek.getRequestId();
    done.whenComplete(
        (moved, e) -> {
          if (e == null) {
            getCommandSender().sendSuccessResponse(requestId);
          } else {
            getCommandSender()
                .sendErrorResponse(
                    requestId, ServerError.UnknownError, "Seek failed: " + e.getMessage());
          }
        });
  }

  /** Answers with the one consumer's position; the broker would answer with the subscription's. */
  @Override
  protected void handleGetLastMessageId(CommandGetLastMessageId command) {
    BroadcastConsumer consumer = consumersById.get(command.getConsumerId());
    if (consumer == null) {
      super.handleGetLastMessageId(command);
      return;
    }
    long requestId = command.getRequestId();
    consumer
        .lastMessageId()
        .whenComplete(
            (last, e) ->
                ctx()
                    .writeAndFlush(
                        e == null
                            ? last.response(requestId)
                            : Commands.newError(
                                requestId, ServerError.MetadataError, e.getMessage())));
  }

  private FrameWriter newWriter(BroadcastSubscription subscription) {
    // With no TLS in between, frames go below the flush consolidation, which would put each flush
    // off to a later task.
    ChannelHandlerContext consolidation = ctx().pipeline().context(FlushConsolidationHandler.class);
    boolean direct = consolidation != null && ctx().pipeline().get(SslHandler.class) == null;
    return new FrameWriter(
        direct ? consolidation : ctx(),
        this::withoutWhatPeerLacks,
        TopicName.getPartitionIndex(subscription.getTopicName()),
        subscription.parts().executors().fanout());
  }

  private ByteBuf withoutWhatPeerLacks(ByteBuf entry) {
    if (!exposesBrokerMetadata
        || !peerTakesBrokerMetadata
        || getRemoteEndpointProtocolVersion() < ProtocolVersion.v18.getValue()) {
      Commands.skipBrokerEntryMetadataIfExist(entry);
    }
    if (getRemoteEndpointProtocolVersion() < ProtocolVersion.v11.getValue()) {
      Commands.skipChecksumIfPresent(entry);
    }
    return entry;
  }

  private void withFanout(BroadcastSubscription subscription, Consumer<ConnectionFanout> action) {
    onEventLoop(
        () -> {
          Attached attached = fanouts.get(subscription);
          if (attached != null) {
            attached.fanout.execute(() -> action.accept(attached.fanout));
          }
        });
  }

  /** Runs a task on the connection's event loop, at once when called there. From any thread. */
  void onEventLoop(Runnable task) {
    if (ctx().executor().inEventLoop()) {
      task.run();
    } else {
      ctx().executor().execute(task);
    }
  }
}
