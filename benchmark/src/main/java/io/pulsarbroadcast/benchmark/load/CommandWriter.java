/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Map;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandConnect;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Collects the commands of one connection in one buffer, to be written with one flush;
 * acknowledgements and permits may wait for more of them. Only that connection's event loop may
 * call it.
 */
final class CommandWriter {
  private static final String CLIENT_VERSION = "pulsar-broadcast-benchmark";
  private static final int LENGTH_BYTES = 4;

  /** Some 2,000 acknowledgements. */
  private static final int MAX_WAITING_BYTES = 64 * 1024;

  private static final int INITIAL_BYTES = 4 * 1024;

  private final ByteBufAllocator allocator;
  private final BaseCommand command = new BaseCommand();
  private final AckFrame ackFrame = new AckFrame();
  private ByteBuf out;
  private boolean urgent;

  CommandWriter(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /** {@code proxyTarget} is the broker behind a proxy, or null. */
  void connect(String proxyTarget) {
    CommandConnect connect = start(BaseCommand.Type.CONNECT).setConnect();
    connect
        .setClientVersion(CLIENT_VERSION)
        .setProtocolVersion(Commands.getCurrentProtocolVersion())
        .setAuthMethodName("none");
    if (proxyTarget != null) {
      connect.setProxyToBrokerUrl(proxyTarget);
    }
    append(command);
  }

  void lookup(String topic, long requestId, boolean authoritative) {
    append(Commands.newLookup(topic, authoritative, requestId));
  }

  void subscribe(LoadConfig config, int consumer, long requestId) {
    CommandSubscribe subscribe = start(BaseCommand.Type.SUBSCRIBE).setSubscribe();
    subscribe
        .setTopic(config.topic)
        .setSubscription(config.subscriptionName.apply(consumer))
        .setSubType(config.subType)
        .setConsumerId(consumer)
        .setRequestId(requestId)
        .setConsumerName(config.consumerName.apply(consumer))
        .setDurable(config.durable)
        .setReadCompacted(false)
        .setInitialPosition(InitialPosition.Latest);
    for (Map.Entry<String, String> property : config.consumerProperties.entrySet()) {
      subscribe.addMetadata().setKey(property.getKey()).setValue(property.getValue());
    }
    append(command);
  }

  void unsubscribe(int consumer, long requestId) {
    append(Commands.newUnsubscribe(consumer, requestId));
  }

  /** Does not wait for acknowledgements to be grouped: the next message may wait for it. */
  void flow(int consumer, int permits) {
    start(BaseCommand.Type.FLOW).setFlow().setConsumerId(consumer).setMessagePermits(permits);
    append(command);
  }

  /** The hot path. */
  void ack(int consumer, CommandAck.AckType type, long ledgerId, long entryId) {
    ackFrame.write(collected(), consumer, type, ledgerId, entryId);
  }

  /** An acknowledgement that the broker answers. */
  void ackWithReceipt(
      int consumer, CommandAck.AckType type, long ledgerId, long entryId, long requestId) {
    CommandAck ack = start(BaseCommand.Type.ACK).setAck();
    ack.setConsumerId(consumer).setAckType(type).setRequestId(requestId);
    ack.addMessageId().setLedgerId(ledgerId).setEntryId(entryId);
    appendPatient(command);
  }

  /** Moves a consumer to a message, which it is sent next. */
  void seek(int consumer, long requestId, long ledgerId, long entryId) {
    append(Commands.newSeek(consumer, requestId, ledgerId, entryId, new long[0]));
  }

  void pong() {
    append(Commands.newPong());
  }

  private BaseCommand start(BaseCommand.Type type) {
    return command.clear().setType(type);
  }

  /** What is rare, and has a buffer of its own. */
  private void append(ByteBuf frame) {
    urgent = true;
    collected().writeBytes(frame);
    frame.release();
  }

  private void append(BaseCommand toWrite) {
    urgent = true;
    appendPatient(toWrite);
  }

  private void appendPatient(BaseCommand toWrite) {
    ByteBuf target = collected();
    int bytes = toWrite.getSerializedSize();
    target.writeInt(bytes + LENGTH_BYTES);
    target.writeInt(bytes);
    toWrite.writeTo(target);
  }

  private ByteBuf collected() {
    if (out == null) {
      out = allocator.buffer(INITIAL_BYTES);
    }
    return out;
  }

  /** Whether there is anything to send that can wait, and nothing that cannot. */
  boolean canWait() {
    return out != null && !urgent && out.readableBytes() < MAX_WAITING_BYTES;
  }

  /** The collected commands, which the caller now owns, or null when there are none. */
  ByteBuf take() {
    ByteBuf taken = out;
    out = null;
    urgent = false;
    return taken;
  }

  /** Drops commands that were collected for a connection that is gone. */
  void discard() {
    ByteBuf dropped = take();
    if (dropped != null) {
      dropped.release();
    }
  }
}
