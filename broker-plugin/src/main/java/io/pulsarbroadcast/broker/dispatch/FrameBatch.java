/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Arrays;

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
  private final ByteBuffer headerMemory;
  private final ByteBuf payload;
  private final ByteBuffer payloadMemory;
  private final int payloadBytes;

  /** Where each frame ends, in this buffer. */
  private final int[] ends = new int[MAX_FRAMES];

  private int frames;
  private ByteBuffer[] pieces = {};

  /**
   * @param payload what is readable of it, never nothing, ends every frame; it is retained, or
   *     copied when it is not one piece of direct memory
   * @param headerBytes the first header takes at most this many
   */
  FrameBatch(ByteBufAllocator allocator, ByteBuf payload, int headerBytes) {
    boolean oneDirectPiece = payload.isDirect() && payload.nioBufferCount() == 1;
    this.payloadBytes = payload.readableBytes();
    this.headers = allocator.directBuffer(Math.max(HEADERS_BYTES, headerBytes));
    try {
      this.payload =
          oneDirectPiece
              ? payload.retain()
              : allocator
                  .directBuffer(payloadBytes)
                  .writeBytes(payload, payload.readerIndex(), payloadBytes);
    } catch (Throwable e) {
      headers.release();
      throw e;
    }
    this.headerMemory = headers.nioBuffer(0, headers.capacity()).slice();
    this.payloadMemory = this.payload.nioBuffer().slice();
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
    int first = pieceOf(index);
    int last = pieceOf(end - 1);
    ByteBuffer[] range = Arrays.copyOfRange(pieces(), first, last + 1);
    for (ByteBuffer piece : range) {
      piece.reset();
    }
    if (index > startOf(first) || end < endOf(first)) {
      range[0] = part(first, index, Math.min(end, endOf(first)));
    }
    if (last > first && end < endOf(last)) {
      range[last - first] = part(last, startOf(last), end);
    }
    return range;
  }

  /**
   * All pieces, made once: a socket is offered the rest of a batch many times before it has taken
   * it all. Whoever takes one moves its position, and may ask for it again, as TLS does: the mark
   * is where it begins.
   */
  private ByteBuffer[] pieces() {
    if (pieces.length != 2 * frames) {
      pieces = new ByteBuffer[2 * frames];
      for (int piece = 0; piece < pieces.length; piece++) {
        pieces[piece] = part(piece, startOf(piece), endOf(piece)).mark();
      }
    }
    return pieces;
  }

  /** What is from one index of this buffer to another, both in the same piece. */
  private ByteBuffer part(int piece, int from, int to) {
    if (isPayload(piece)) {
      int start = startOf(piece);
      return payloadMemory.duplicate().limit(to - start).position(from - start);
    }
    // What comes before in this buffer and is not header are the payloads of the frames before.
    int payloadsBefore = piece / 2 * payloadBytes;
    return headerMemory.duplicate().limit(to - payloadsBefore).position(from - payloadsBefore);
  }

  private static boolean isPayload(int piece) {
    return piece % 2 == 1;
  }

  private int startOf(int piece) {
    int frame = piece / 2;
    if (isPayload(piece)) {
      return ends[frame] - payloadBytes;
    }
    return frame == 0 ? 0 : ends[frame - 1];
  }

  private int endOf(int piece) {
    return isPayload(piece) ? ends[piece / 2] : ends[piece / 2] - payloadBytes;
  }

  private int pieceOf(int index) {
    int frame = frameOf(index);
    return index < ends[frame] - payloadBytes ? 2 * frame : 2 * frame + 1;
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
