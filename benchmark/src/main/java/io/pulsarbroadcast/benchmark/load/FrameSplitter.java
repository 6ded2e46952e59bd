/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Cuts what was read from a socket into frames, in place. Only its event loop may call it.
 *
 * <p>Bytes are copied only for the frame that a read ends in the middle of.
 */
public abstract class FrameSplitter extends ChannelInboundHandlerAdapter {
  static final int MAX_FRAME_BYTES = 16 * 1024 * 1024;
  private static final int LENGTH_BYTES = 4;

  private ByteBuf partial;

  /** {@code length} bytes from {@code index} on are one frame, without its length field. */
  protected abstract void frame(ByteBuf buffer, int index, int length);

  @Override
  public final void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      read(in, context.alloc());
    } finally {
      in.release();
    }
  }

  /** Hands on every frame that is complete with these bytes. Does not release the buffer. */
  final void read(ByteBuf in, ByteBufAllocator allocator) {
    if (partial != null && partial.isReadable() && !completePartial(in)) {
      return;
    }
    int index = in.readerIndex();
    int end = in.writerIndex();
    while (end - index >= LENGTH_BYTES) {
      int length = checked(in.getInt(index));
      if (end - index - LENGTH_BYTES < length) {
        break;
      }
      frame(in, index + LENGTH_BYTES, length);
      index += LENGTH_BYTES + length;
    }
    if (index < end) {
      if (partial == null) {
        partial = allocator.buffer(end - index);
      }
      partial.writeBytes(in, index, end - index);
    }
    in.readerIndex(end);
  }

  /** Adds to the partial frame what it lacks; true when it is complete and handed on. */
  private boolean completePartial(ByteBuf in) {
    if (partial.readableBytes() < LENGTH_BYTES) {
      take(in, LENGTH_BYTES - partial.readableBytes());
      if (partial.readableBytes() < LENGTH_BYTES) {
        return false;
      }
    }
    int length = checked(partial.getInt(0));
    take(in, LENGTH_BYTES + length - partial.readableBytes());
    if (partial.readableBytes() < LENGTH_BYTES + length) {
      return false;
    }
    frame(partial, LENGTH_BYTES, length);
    partial.clear();
    return true;
  }

  private void take(ByteBuf in, int bytes) {
    partial.writeBytes(in, Math.min(bytes, in.readableBytes()));
  }

  private static int checked(int length) {
    if (length < LENGTH_BYTES || length > MAX_FRAME_BYTES) {
      throw new IllegalStateException(
          "Frame of %d bytes; allowed: %d to %d".formatted(length, LENGTH_BYTES, MAX_FRAME_BYTES));
    }
    return length;
  }

  /** Frees the partial frame; nothing may be read afterwards. */
  protected final void release() {
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }
}
