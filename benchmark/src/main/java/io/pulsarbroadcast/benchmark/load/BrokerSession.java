/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import org.apache.pulsar.common.api.proto.BaseCommand;

/**
 * One channel of a {@link BrokerConnection}: cuts frames, parses commands and hands them on. Only
 * its event loop calls it.
 */
final class BrokerSession extends FrameSplitter {
  private static final int LENGTH_BYTES = 4;

  private final BrokerConnection connection;
  private final BaseCommand command = new BaseCommand();

  BrokerSession(BrokerConnection connection) {
    this.connection = connection;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    connection.active(context.channel());
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    connection.readComplete();
  }

  @Override
  protected void frame(ByteBuf buffer, int index, int length) {
    int commandBytes = buffer.getInt(index);
    if (commandBytes < 0 || commandBytes > length - LENGTH_BYTES) {
      throw new IllegalStateException(
          "Command of %d bytes in a frame of %d".formatted(commandBytes, length));
    }
    buffer.readerIndex(index + LENGTH_BYTES);
    command.parseFrom(buffer, commandBytes);
    connection.command(command, buffer, index + length);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    release();
    connection.lost(context.channel());
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    connection.failed(cause);
    context.close();
  }
}
