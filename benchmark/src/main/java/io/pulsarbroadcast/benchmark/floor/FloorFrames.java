/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.pulsarbroadcast.benchmark.load.Varint;
import java.util.Arrays;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;

/**
 * Writes the MESSAGE frames of one connection: small messages copied into one buffer for many
 * consumers, a large one shared by all its frames. Only the connection's event loop may call it.
 */
final class FloorFrames {
  /** Payloads up to this size are copied, as in the plugin. */
  static final int COPY_LIMIT_BYTES = 1024;

  static final long LEDGER_ID = 1;
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int MAX_HEADER_BYTES = 64;
  private static final int TYPE_TAG = 1 << 3;
  private static final int MESSAGE_TAG = 9 << 3 | 2;
  private static final int CONSUMER_ID_TAG = 1 << 3;

  private final Channel channel;
  private FloorMessage current;

  /** The command after the consumer's id, which is all that differs between the frames. */
  private byte[] commandTail;

  private ByteBuf chunk;

  FloorFrames(Channel channel) {
    this.channel = channel;
  }

  /** Writes one frame; nothing is sent before {@link #flush()}. */
  void write(FloorMessage message, int consumerId) {
    if (message != current) {
      current = message;
      commandTail = commandTail(message.entryId());
    }
    ByteBuf bytes = message.bytes();
    int size = bytes.readableBytes();
    boolean copied = size <= COPY_LIMIT_BYTES;
    if (chunk == null || chunk.writableBytes() < MAX_HEADER_BYTES + (copied ? size : 0)) {
      releaseOrWriteChunk();
      chunk = channel.alloc().directBuffer(CHUNK_BYTES, CHUNK_BYTES);
    }
    writeHeader(chunk, consumerId, size);
    if (copied) {
      chunk.writeBytes(bytes, bytes.readerIndex(), size);
    } else {
      channel.write(chunk.readRetainedSlice(chunk.readableBytes()), channel.voidPromise());
      channel.write(bytes.retainedDuplicate(), channel.voidPromise());
    }
  }

  /** Sends what has been written. */
  void flush() {
    current = null;
    releaseOrWriteChunk();
    channel.flush();
  }

  /** Drops what has not been handed to the connection. */
  void discard() {
    if (chunk != null) {
      chunk.release();
      chunk = null;
    }
  }

  private void releaseOrWriteChunk() {
    if (chunk != null && chunk.isReadable()) {
      channel.write(chunk, channel.voidPromise());
      chunk = null;
    } else {
      discard();
    }
  }

  private void writeHeader(ByteBuf out, int consumerId, int payloadBytes) {
    int messageBytes = 1 + Varint.bytes(consumerId) + commandTail.length;
    int commandBytes = 3 + Varint.bytes(messageBytes) + messageBytes;
    out.writeInt(Integer.BYTES + commandBytes + payloadBytes);
    out.writeInt(commandBytes);
    out.writeByte(TYPE_TAG);
    out.writeByte(BaseCommand.Type.MESSAGE.getValue());
    out.writeByte(MESSAGE_TAG);
    Varint.write(out, messageBytes);
    out.writeByte(CONSUMER_ID_TAG);
    Varint.write(out, consumerId);
    out.writeBytes(commandTail);
  }

  private static byte[] commandTail(long entryId) {
    CommandMessage command = new CommandMessage().setConsumerId(0);
    command.setMessageId().setLedgerId(LEDGER_ID).setEntryId(entryId).setPartition(-1);
    byte[] whole = command.toByteArray();
    return Arrays.copyOfRange(whole, 2, whole.length);
  }
}
