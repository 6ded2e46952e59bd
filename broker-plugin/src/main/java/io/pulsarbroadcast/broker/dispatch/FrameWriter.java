/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Writes MESSAGE frames to one connection. Small messages are copied into one contiguous buffer for
 * many consumers, which is cheaper than two buffers each; a large payload is shared by all frames,
 * and only their headers are written, many into one buffer.
 *
 * <p>Confined to the connection's event loop.
 */
public final class FrameWriter {

  /** Payloads up to this size are copied. */
  static final int COPY_LIMIT_BYTES = 1024;

  /**
   * How much may be written before a flush although the connection has more pending than its high
   * water mark, which at 64 KiB by default would make it a system call for every six messages of 10
   * KiB. What is shared costs no memory.
   */
  private static final int MAX_UNFLUSHED_SHARED_BYTES = 1 << 20;

  private static final int MAX_UNFLUSHED_COPIED_BYTES = 1 << 17;

  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int HEADERS_BYTES = 16 * 1024;

  private final ChannelHandlerContext out;
  private final UnaryOperator<ByteBuf> payloadForPeer;
  private final FrameEncoder encoder;

  /** Whole frames. */
  private ByteBuf chunk;

  /** Headers of frames, from which slices are written. */
  private ByteBuf headers;

  private int unflushedSharedBytes;
  private int unflushedCopiedBytes;
  private BroadcastEntry current;
  private ByteBuf payload;

  /**
   * @param out where to write: the pipeline from here to the socket must take plain buffers
   * @param payloadForPeer moves the reader index of a stored entry past what this peer does not
   *     understand
   * @param partition the topic's partition index, or -1
   */
  public FrameWriter(
      ChannelHandlerContext out, UnaryOperator<ByteBuf> payloadForPeer, int partition) {
    this.out = out;
    this.payloadForPeer = payloadForPeer;
    this.encoder = new FrameEncoder(partition);
  }

  /** Whether the connection takes more; false means: come back at the next writability event. */
  boolean isWritable() {
    return out.channel().isWritable()
        || (unflushedSharedBytes + unflushedCopiedBytes > 0
            && unflushedSharedBytes < MAX_UNFLUSHED_SHARED_BYTES
            && unflushedCopiedBytes < MAX_UNFLUSHED_COPIED_BYTES);
  }

  /** Runs a task on the connection's event loop, at once when called there. */
  void execute(Runnable task) {
    if (out.executor().inEventLoop()) {
      task.run();
    } else {
      out.executor().execute(task);
    }
  }

  /** Runs a task on the connection's event loop later. */
  ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return out.executor().schedule(task, delay, unit);
  }

  boolean isActive() {
    return out.channel().isActive();
  }

  /**
   * Writes one frame.
   *
   * @param redeliveries how often the consumer has asked for the entry again
   * @param ackSet a bit per message of the batch that is not acknowledged; null: none of them is
   * @return its size in bytes
   */
  int write(FanoutConsumer consumer, BroadcastEntry entry, int redeliveries, long[] ackSet) {
    if (current != entry) {
      current = entry;
      payload = payloadForPeer.apply(entry.data().duplicate());
      entry.written();
    }
    int payloadBytes = payload.readableBytes();
    if (payloadBytes <= COPY_LIMIT_BYTES && ackSet == null) {
      if (chunk == null || chunk.writableBytes() < payloadBytes + FrameEncoder.MAX_HEADER_BYTES) {
        writeChunk();
        chunk = out.alloc().ioBuffer(CHUNK_BYTES, CHUNK_BYTES);
      }
      encoder.writeHeader(
          chunk, consumer.consumerId(), entry, redeliveries, consumer.epoch, null, payloadBytes);
      chunk.writeBytes(payload, payload.readerIndex(), payloadBytes);
      unflushedCopiedBytes += payloadBytes;
    } else {
      writeChunk();
      writeShared(consumer, entry, redeliveries, ackSet, payloadBytes);
    }
    return payloadBytes;
  }

  private void writeShared(
      FanoutConsumer consumer,
      BroadcastEntry entry,
      int redeliveries,
      long[] ackSet,
      int payloadBytes) {
    int maxBytes = FrameEncoder.maxHeaderBytes(ackSet);
    if (headers == null || headers.writableBytes() < maxBytes) {
      releaseHeaders();
      headers = out.alloc().ioBuffer(Math.max(HEADERS_BYTES, maxBytes));
    }
    int start = headers.writerIndex();
    encoder.writeHeader(
        headers, consumer.consumerId(), entry, redeliveries, consumer.epoch, ackSet, payloadBytes);
    // Not the retained kinds: those come from a pool, which costs more than to allocate them.
    out.write(headers.retain().slice(start, headers.writerIndex() - start), out.voidPromise());
    payload.retain();
    out.write(payload.duplicate(), out.voidPromise());
    unflushedSharedBytes += payloadBytes;
  }

  /** Sends what has been written. */
  void flush() {
    writeChunk();
    current = null;
    payload = null;
    unflushedSharedBytes = 0;
    unflushedCopiedBytes = 0;
    out.flush();
  }

  /** Drops what has not been handed to the connection. */
  void discard() {
    current = null;
    payload = null;
    if (chunk != null) {
      chunk.release();
      chunk = null;
    }
    releaseHeaders();
  }

  private void releaseHeaders() {
    if (headers != null) {
      headers.release();
      headers = null;
    }
  }

  private void writeChunk() {
    if (chunk != null) {
      out.write(chunk, out.voidPromise());
      chunk = null;
    }
  }
}
