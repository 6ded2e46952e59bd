/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.Version;
import io.pulsarbroadcast.benchmark.load.FrameSplitter;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandLookupTopicResponse.LookupType;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.schema.SchemaVersion;

/**
 * One connection of the floor: answers what a fleet and a producer ask, and passes over
 * acknowledgements without looking at them. Only its event loop calls it.
 */
final class FloorConnection extends FrameSplitter {
  private static final int LENGTH_BYTES = 4;
  private static final int TYPE_TAG = 1 << 3;
  private static final String NO_PRODUCER_NAME = "floor";

  /** Made once: Netty reads its version from files each time it is asked. */
  private static final String SERVER_VERSION = "floor, Netty " + nettyVersion();

  private final FloorServer server;
  private final BaseCommand command = new BaseCommand();
  private ChannelHandlerContext context;
  private FloorFanout fanout;

  FloorConnection(FloorServer server) {
    this.server = server;
  }

  @Override
  public void channelActive(ChannelHandlerContext opened) {
    context = opened;
    fanout = new FloorFanout(opened.channel());
    server.opened(fanout, opened.channel().eventLoop());
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext reading) {
    reading.flush();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext changed) {
    fanout.drain();
  }

  @Override
  public void channelInactive(ChannelHandlerContext closed) {
    release();
    server.closed(fanout, closed.channel().eventLoop());
    fanout.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext failing, Throwable cause) {
    // A client that goes away in the middle of a frame ends a run, not the floor.
    failing.close();
  }

  @Override
  protected void frame(ByteBuf buffer, int index, int length) {
    int start = index + LENGTH_BYTES;
    if (buffer.getByte(start) == TYPE_TAG
        && buffer.getByte(start + 1) == BaseCommand.Type.ACK.getValue()) {
      return;
    }
    buffer.readerIndex(start);
    command.parseFrom(buffer, buffer.getInt(index));
    handle(buffer, index + length);
  }

  private void handle(ByteBuf buffer, int frameEnd) {
    switch (command.getType()) {
      case CONNECT -> write(connected());
      case PARTITIONED_METADATA ->
          write(
              Commands.newPartitionMetadataResponse(
                  0, command.getPartitionMetadata().getRequestId()));
      case LOOKUP ->
          write(
              Commands.newLookupResponse(
                  server.serviceUrl(),
                  null,
                  true,
                  LookupType.Connect,
                  command.getLookupTopic().getRequestId(),
                  false));
      case SUBSCRIBE -> {
        fanout.add((int) command.getSubscribe().getConsumerId());
        write(Commands.newSuccess(command.getSubscribe().getRequestId()));
      }
      case UNSUBSCRIBE -> write(Commands.newSuccess(command.getUnsubscribe().getRequestId()));
      case CLOSE_PRODUCER -> write(Commands.newSuccess(command.getCloseProducer().getRequestId()));
      case PRODUCER ->
          write(
              Commands.newProducerSuccess(
                  command.getProducer().getRequestId(), NO_PRODUCER_NAME, SchemaVersion.Empty));
      case SEND -> send(command.getSend(), buffer, frameEnd);
      case PING -> write(Commands.newPong());
      default -> {
        // FLOW among others: the floor writes as fast as the socket takes it.
      }
    }
  }

  private ByteBuf connected() {
    BaseCommand connected =
        Commands.newConnectedCommand(
            command.getConnect().getProtocolVersion(), Commands.DEFAULT_MAX_MESSAGE_SIZE, false);
    connected.getConnected().setServerVersion(SERVER_VERSION);
    return Commands.serializeWithSize(connected);
  }

  private void send(CommandSend send, ByteBuf buffer, int frameEnd) {
    int size = frameEnd - buffer.readerIndex();
    ByteBuf message = context.alloc().directBuffer(size);
    message.writeBytes(buffer, buffer.readerIndex(), size);
    long entryId = server.publish(message);
    write(
        Commands.newSendReceipt(
            send.getProducerId(), send.getSequenceId(), 0, FloorFrames.LEDGER_ID, entryId));
  }

  private void write(ByteBuf answer) {
    context.write(answer, context.voidPromise());
  }

  private static String nettyVersion() {
    Version version = Version.identify().get("netty-transport");
    return version == null ? "of unknown version" : version.artifactVersion();
  }
}
