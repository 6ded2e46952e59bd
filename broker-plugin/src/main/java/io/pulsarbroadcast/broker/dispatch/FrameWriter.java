/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes MESSAGE frames to one connection. Small messages are copied into one contiguous buffer for
 * many consumers; a large payload is shared by all frames of a {@link FrameBatch}.
 *
 * <p>Confined to one thread: the connection's event loop, or that of an executor.
 */
public final class FrameWriter {

  private static final Logger log = LoggerFactory.getLogger(FrameWriter.class);

  /** Payloads up to this size are copied. */
  static final int COPY_LIMIT_BYTES = 1024;

  /**
   * How much may be written before a flush although the connection has more pending than its high
   * water mark, which at 64 KiB by default would make it a system call for every six messages of 10
   * KiB. What is shared costs no memory.
   */
  private static final int MAX_UNFLUSHED_SHARED_BYTES = 1 << 20;

  private static final int MAX_UNFLUSHED_COPIED_BYTES = 1 << 17;

  private static final int MAX_CHUNK_BYTES = 64 * 1024;

  private final ChannelHandlerContext out;
  private final UnaryOperator<ByteBuf> payloadForPeer;
  private final FrameEncoder encoder;
  private final Executor executor;

  /** Whole frames. */
  private ByteBuf chunk;

  /**
   * What the next chunk has room for, before it grows: as much as was in the one before. It is not
   * of full size from the start: of the buffers that wait for a full socket Netty counts what is
   * readable, not their room (I8).
   */
  private int expectedChunkBytes;

  /** What was in the first chunk since the last flush; 0: there was none. */
  private int firstChunkBytes;

  /** Frames that share the current payload. */
  private FrameBatch batch;

  private int unflushedSharedBytes;
  private int unflushedCopiedBytes;
  private BroadcastEntry current;
  private ByteBuf payload;
  private boolean abandoned;

  /**
   * @param out where to write: the pipeline from here to the socket must take plain buffers
   * @param payloadForPeer moves the reader index of a stored entry past what this peer does not
   *     understand
   * @param partition the topic's partition index, or -1
   * @param executor what this is confined to, one task after the other; null: the event loop
   */
  public FrameWriter(
      ChannelHandlerContext out,
      UnaryOperator<ByteBuf> payloadForPeer,
      int partition,
      Executor executor) {
    this.out = out;
    this.payloadForPeer = payloadForPeer;
    this.encoder = new FrameEncoder(partition);
    this.executor = executor;
  }

  /** Whether the connection takes more; false means: come back at the next writability event. */
  boolean isWritable() {
    if (abandoned) {
      return false;
    }
    boolean unflushed = unflushedSharedBytes + unflushedCopiedBytes > 0;
    return (unflushed || out.channel().isWritable())
        && unflushedSharedBytes < MAX_UNFLUSHED_SHARED_BYTES
        && unflushedCopiedBytes < MAX_UNFLUSHED_COPIED_BYTES;
  }

  /**
   * Runs a task on the thread that this is confined to; on the event loop at once, when called
   * there.
   */
  void execute(Runnable task) {
    if (executor != null) {
      executor.execute(task);
    } else if (out.executor().inEventLoop()) {
      task.run();
    } else {
      out.executor().execute(task);
    }
  }

  /** Runs a task there later. */
  ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return out.executor().schedule(() -> execute(task), delay, unit);
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
      writeBatch();
      current = entry;
      payload = payloadForPeer.apply(entry.data().duplicate());
      entry.written();
    }
    int payloadBytes = payload.readableBytes();
    if (payloadBytes <= COPY_LIMIT_BYTES && ackSet == null) {
      writeBatch();
      int frameBytes = FrameEncoder.MAX_HEADER_BYTES + payloadBytes;
      if (chunk == null || chunk.maxWritableBytes() < frameBytes) {
        writeChunk();
        chunk = out.alloc().ioBuffer(Math.max(expectedChunkBytes, frameBytes), MAX_CHUNK_BYTES);
      }
      encoder.writeHeader(
          chunk, consumer.consumerId(), entry, redeliveries, consumer.epoch, null, payloadBytes);
      chunk.writeBytes(payload, payload.readerIndex(), payloadBytes);
      unflushedCopiedBytes += payloadBytes;
    } else {
      writeChunk();
      int headerBytes = FrameEncoder.maxHeaderBytes(ackSet);
      if (batch == null || !batch.takes(headerBytes)) {
        writeBatch();
        batch = new FrameBatch(out.alloc(), payload, headerBytes);
      }
      encoder.writeHeader(
          batch.headers(),
          consumer.consumerId(),
          entry,
          redeliveries,
          consumer.epoch,
          ackSet,
          payloadBytes);
      batch.endFrame();
      unflushedSharedBytes += payloadBytes;
    }
    return payloadBytes;
  }

  /** Sends what has been written. */
  void flush() {
    writeChunk();
    writeBatch();
    current = null;
    payload = null;
    unflushedSharedBytes = 0;
    unflushedCopiedBytes = 0;
    // For the most part the same consumers are sent another message.
    expectedChunkBytes = firstChunkBytes;
    firstChunkBytes = 0;
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
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }

  /**
   * Closes the connection because writing to it has failed: frames may be there in part, and some
   * consumers have been taken for served. Its clients reconnect and resume from their positions.
   */
  void abandon(Throwable cause) {
    abandoned = true;
    out.channel().close();
    discard();
    log.warn(
        "{} Closed this connection: writing messages to it failed. Its clients reconnect and resume"
            + " from their positions",
        out.channel(),
        cause);
  }

  private void writeChunk() {
    if (chunk != null) {
      expectedChunkBytes = chunk.readableBytes();
      if (firstChunkBytes == 0) {
        firstChunkBytes = expectedChunkBytes;
      }
      out.write(chunk, out.voidPromise());
      chunk = null;
    }
  }

  private void writeBatch() {
    if (batch != null) {
      out.write(batch, out.voidPromise());
      batch = null;
    }
  }
}
