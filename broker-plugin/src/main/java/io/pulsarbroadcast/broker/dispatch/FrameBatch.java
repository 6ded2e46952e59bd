/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Frames of one payload for many consumers, as one outbound buffer: header, payload, header,
 * payload, and so on. The payload is there once, and Netty's bookkeeping of what waits for the
 * socket is paid once per batch, not twice per frame.
 *
 * <p>Confined to the connection's event loop. To add a frame, write its header into {@link
 * #headers()} and call {@link #endFrame()}.
 */
final class FrameBatch extends GatheredBuffer {

  /** Two pieces each, and one system call takes 1,024 of them. */
  static final int MAX_FRAMES = 64;

  private static final int HEADERS_BYTES = 4 * 1024;

  private final ByteBuf headers;
  private final ByteBuf payload;
  private final ByteBuffer payloadMemory;
  private final int payloadBytes;

  /** Where each frame ends, in this buffer. */
  private final int[] ends = new int[MAX_FRAMES];

  private int frames;

  /**
   * @param payload what is readable of it ends every frame; it is retained, or copied when it is
   *     not one piece of direct memory
   * @param headerBytes the first header takes at most this many
   */
  FrameBatch(ByteBufAllocator allocator, ByteBuf payload, int headerBytes) {
    boolean oneDirectPiece = payload.isDirect() && payload.nioBufferCount() == 1;
    this.payloadBytes = payload.readableBytes();
    this.payload =
        oneDirectPiece
            ? payload.retain()
            : allocator
                .directBuffer(payloadBytes)
                .writeBytes(payload, payload.readerIndex(), payloadBytes);
    this.payloadMemory = this.payload.nioBuffer().slice();
    this.headers = allocator.directBuffer(Math.max(HEADERS_BYTES, headerBytes));
  }

  /** Whether another frame fits. */
  boolean takes(int headerBytes) {
    return frames < MAX_FRAMES && headers.writableBytes() >= headerBytes;
  }

  /** Where the next frame's header goes. */
  ByteBuf headers() {
    return headers;
  }

  /** The frame whose header has been written is complete. */
  void endFrame() {
    ends[frames] = headers.writerIndex() + (frames + 1) * payloadBytes;
    frames++;
    writerIndex(capacity());
  }

  @Override
  public int capacity() {
    return frames == 0 ? 0 : ends[frames - 1];
  }

  @Override
  public ByteBufAllocator alloc() {
    return headers.alloc();
  }

  @Override
  public int nioBufferCount() {
    return 2 * frames;
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    checkIndex(index, length);
    if (length == 0) {
      return new ByteBuffer[0];
    }
    int end = index + length;
    int first = frameOf(index);
    int last = frameOf(end - 1);
    ByteBuffer headerMemory = headers.internalNioBuffer(0, headers.writerIndex());
    int headerBase = headerMemory.position();
    List<ByteBuffer> pieces = new ArrayList<>(2 * (last - first + 1));
    for (int frame = first; frame <= last; frame++) {
      int frameStart = frame == 0 ? 0 : ends[frame - 1];
      int payloadStart = ends[frame] - payloadBytes;
      // What comes before in this buffer and is not header are the payloads of the frames before.
      int headerOffset = headerBase - frame * payloadBytes;
      addPart(
          pieces,
          headerMemory,
          headerOffset + Math.max(frameStart, index),
          headerOffset + Math.min(payloadStart, end));
      addPart(
          pieces,
          payloadMemory,
          Math.max(payloadStart, index) - payloadStart,
          Math.min(ends[frame], end) - payloadStart);
    }
    return pieces.toArray(new ByteBuffer[0]);
  }

  /**
   * Never an empty one: a write that is limited to less than the second piece would take the first
   * alone, and writing nothing means to Netty that the socket is full.
   */
  private static void addPart(List<ByteBuffer> pieces, ByteBuffer memory, int from, int to) {
    if (from < to) {
      pieces.add(memory.duplicate().clear().limit(to).position(from));
    }
  }

  private int frameOf(int index) {
    int found = Arrays.binarySearch(ends, 0, frames, index + 1);
    return found < 0 ? -found - 1 : found;
  }

  @Override
  protected void deallocate() {
    headers.release();
    payload.release();
  }
}
