/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.Version;
import io.pulsarbroadcast.benchmark.load.FrameSplitter;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandLookupTopicResponse;
import org.apache.pulsar.common.api.proto.CommandPartitionedTopicMetadataResponse;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.apache.pulsar.common.protocol.Commands;

/**
 * One connection of the floor: answers what a fleet and a producer ask, and passes over
 * acknowledgements without looking at them. Only its event loop calls it.
 */
final class FloorConnection extends ChannelInboundHandlerAdapter
    implements FrameSplitter.FrameHandler {
  private static final int LENGTH_BYTES = 4;
  private static final int TYPE_TAG = 1 << 3;
  private static final String NO_PRODUCER_NAME = "floor";

  /** Made once: Netty reads its version from files each time it is asked. */
  private static final String SERVER_VERSION = "floor, Netty " + nettyVersion();

  private final FloorServer server;
  private final FrameSplitter splitter = new FrameSplitter(this);
  private final BaseCommand command = new BaseCommand();
  private final BaseCommand answer = new BaseCommand();
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
  public void channelRead(ChannelHandlerContext reading, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      splitter.read(in, reading.alloc());
    } finally {
      in.release();
    }
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
    splitter.release();
    server.closed(fanout, closed.channel().eventLoop());
    fanout.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext failing, Throwable cause) {
    // A client that goes away in the middle of a frame ends a run, not the floor.
    failing.close();
  }

  @Override
  public void frame(ByteBuf buffer, int index, int length) {
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
      case CONNECT:
        start(BaseCommand.Type.CONNECTED)
            .setConnected()
            .setServerVersion(SERVER_VERSION)
            .setProtocolVersion(Commands.getCurrentProtocolVersion())
            .setMaxMessageSize(Commands.DEFAULT_MAX_MESSAGE_SIZE);
        write();
        break;
      case PARTITIONED_METADATA:
        start(BaseCommand.Type.PARTITIONED_METADATA_RESPONSE)
            .setPartitionMetadataResponse()
            .setPartitions(0)
            .setRequestId(command.getPartitionMetadata().getRequestId())
            .setResponse(CommandPartitionedTopicMetadataResponse.LookupType.Success);
        write();
        break;
      case LOOKUP:
        start(BaseCommand.Type.LOOKUP_RESPONSE)
            .setLookupTopicResponse()
            .setBrokerServiceUrl(server.serviceUrl())
            .setAuthoritative(true)
            .setRequestId(command.getLookupTopic().getRequestId())
            .setResponse(CommandLookupTopicResponse.LookupType.Connect);
        write();
        break;
      case SUBSCRIBE:
        fanout.add((int) command.getSubscribe().getConsumerId());
        success(command.getSubscribe().getRequestId());
        break;
      case UNSUBSCRIBE:
        success(command.getUnsubscribe().getRequestId());
        break;
      case CLOSE_PRODUCER:
        success(command.getCloseProducer().getRequestId());
        break;
      case PRODUCER:
        start(BaseCommand.Type.PRODUCER_SUCCESS)
            .setProducerSuccess()
            .setRequestId(command.getProducer().getRequestId())
            .setProducerName(NO_PRODUCER_NAME)
            .setSchemaVersion(new byte[0])
            .setProducerReady(true);
        write();
        break;
      case SEND:
        send(command.getSend(), buffer, frameEnd);
        break;
      case PING:
        start(BaseCommand.Type.PONG).setPong();
        write();
        break;
      default:
        // FLOW among others: the floor writes as fast as the socket takes it.
    }
  }

  private void send(CommandSend send, ByteBuf buffer, int frameEnd) {
    int size = frameEnd - buffer.readerIndex();
    ByteBuf message = context.alloc().directBuffer(size);
    message.writeBytes(buffer, buffer.readerIndex(), size);
    long entryId = server.publish(message);
    start(BaseCommand.Type.SEND_RECEIPT)
        .setSendReceipt()
        .setProducerId(send.getProducerId())
        .setSequenceId(send.getSequenceId())
        .setMessageId()
        .setLedgerId(FloorFrames.LEDGER_ID)
        .setEntryId(entryId);
    write();
  }

  private void success(long requestId) {
    start(BaseCommand.Type.SUCCESS).setSuccess().setRequestId(requestId);
    write();
  }

  private BaseCommand start(BaseCommand.Type type) {
    return answer.clear().setType(type);
  }

  private void write() {
    int bytes = answer.getSerializedSize();
    ByteBuf out = context.alloc().directBuffer(2 * LENGTH_BYTES + bytes);
    out.writeInt(bytes + LENGTH_BYTES);
    out.writeInt(bytes);
    answer.writeTo(out);
    context.write(out, context.voidPromise());
  }

  private static String nettyVersion() {
    Version version = Version.identify().get("netty-transport");
    return version == null ? "of unknown version" : version.artifactVersion();
  }
}
