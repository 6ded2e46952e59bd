/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FrameSplitterTest {
  private final ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;

  /** One that is always the same, and a new one; {@code -Dseed=N} repeats a run. */
  static LongStream seeds() {
    return LongStream.of(11, Long.getLong("seed", System.nanoTime()));
  }

  @ParameterizedTest(name = "-Dseed={0}")
  @MethodSource("seeds")
  void shouldFindTheSameFramesHoweverTheBytesArrive(long seed) {
    System.out.println("FrameSplitterTest: -Dseed=" + seed);
    Random random = new Random(seed);
    List<byte[]> expected = new ArrayList<>();
    ByteBuf stream = Unpooled.buffer();
    for (int i = 0; i < 200; i++) {
      byte[] frame = new byte[4 + random.nextInt(300)];
      random.nextBytes(frame);
      expected.add(frame);
      stream.writeInt(frame.length).writeBytes(frame);
    }

    for (int maxChunk : new int[] {1, 3, 7, 100, 1_000, stream.readableBytes()}) {
      List<byte[]> found = new ArrayList<>();
      FrameSplitter splitter =
          new FrameSplitter() {
            @Override
            protected void frame(ByteBuf buffer, int index, int length) {
              byte[] frame = new byte[length];
              buffer.getBytes(index, frame);
              buffer.readerIndex(index + length / 2);
              found.add(frame);
            }
          };
      for (int at = 0; at < stream.readableBytes(); ) {
        int chunk = Math.min(1 + random.nextInt(maxChunk), stream.readableBytes() - at);
        splitter.read(stream.copy(at, chunk), allocator);
        at += chunk;
      }
      splitter.release();

      assertThat(found).as("-Dseed=%d, chunks up to %d", seed, maxChunk).hasSameSizeAs(expected);
      for (int i = 0; i < found.size(); i++) {
        assertThat(found.get(i)).as("-Dseed=%d", seed).isEqualTo(expected.get(i));
      }
    }
  }

  @Test
  void shouldRefuseALengthThatCannotBe() {
    FrameSplitter splitter =
        new FrameSplitter() {
          @Override
          protected void frame(ByteBuf buffer, int index, int length) {}
        };
    ByteBuf negative = Unpooled.buffer().writeInt(-5).writeInt(0);
    ByteBuf huge = Unpooled.buffer().writeInt(FrameSplitter.MAX_FRAME_BYTES + 1);

    assertThatThrownBy(() -> splitter.read(negative, allocator)).hasMessageContaining("-5 bytes");
    assertThatThrownBy(() -> splitter.read(huge, allocator)).hasMessageContaining("allowed: 4 to");
  }
}
