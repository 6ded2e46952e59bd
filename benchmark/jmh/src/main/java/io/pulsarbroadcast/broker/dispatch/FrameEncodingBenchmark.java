/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.pulsarbroadcast.broker.PieceBenchmark;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The frame of one message for one consumer: {@link FrameEncoder} into a buffer of its own, into
 * one that many consumers share, and the broker's own encoder.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FrameEncodingBenchmark extends PieceBenchmark {
  private static final int CHUNK_BYTES = 64 * 1024;

  @Param({"100", "10240"})
  int payloadBytes;

  private final FrameEncoder encoder = new FrameEncoder(-1);
  private ByteBuf payload;
  private ByteBuf chunk;
  private BroadcastEntry entry;
  private int consumer;

  @Setup
  public void start() {
    payload = PooledByteBufAllocator.DEFAULT.directBuffer(payloadBytes).writeZero(payloadBytes);
    chunk = PooledByteBufAllocator.DEFAULT.directBuffer(CHUNK_BYTES);
    entry = new BroadcastEntry(0, 0, 12, 345, 1, null, payload);
  }

  @TearDown
  public void stop() {
    chunk.release();
    entry.release();
  }

  private int nextConsumer() {
    consumer = (consumer + 1) % 100_000;
    return consumer;
  }

  /** As large messages are sent: a slice of a buffer with many headers, and the payload shared. */
  @Benchmark
  public int headerAndSharedPayload() {
    if (chunk.writableBytes() < FrameEncoder.MAX_HEADER_BYTES) {
      chunk.clear();
    }
    int start = chunk.writerIndex();
    encoder.writeHeader(
        chunk, nextConsumer(), entry, 0, Commands.DEFAULT_CONSUMER_EPOCH, null, payloadBytes);
    ByteBuf header = chunk.retain().slice(start, chunk.writerIndex() - start);
    ByteBuf shared = payload.retain().duplicate();
    int bytes = header.readableBytes() + shared.readableBytes();
    header.release();
    shared.release();
    return bytes;
  }

  /** As small messages are sent: one after the other into one buffer. */
  @Benchmark
  public int frameIntoSharedBuffer() {
    if (chunk.writableBytes() < payloadBytes + FrameEncoder.MAX_HEADER_BYTES) {
      chunk.clear();
    }
    encoder.writeHeader(
        chunk, nextConsumer(), entry, 0, Commands.DEFAULT_CONSUMER_EPOCH, null, payloadBytes);
    chunk.writeBytes(payload, payload.readerIndex(), payloadBytes);
    return chunk.writerIndex();
  }

  @Benchmark
  public int broker() {
    ByteBufPair pair =
        Commands.serializeCommandMessageWithSize(
            Commands.newMessageCommand(
                nextConsumer(), 12, 345, -1, 0, null, Commands.DEFAULT_CONSUMER_EPOCH),
            payload.retainedDuplicate());
    int bytes = pair.readableBytes();
    pair.release();
    return bytes;
  }
}
