/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers that a pipeline may have (TLS, tracing) read it as any other buffer. */
class GatheredBufferTest {

  private static final byte[] PAYLOAD = {-1, 2, -3, 4, -5};
  private static final byte[] HEADER = {10, -20, 30};

  private final ByteBuf plain = Unpooled.buffer();
  private final FrameBatch batch = batch(plain);

  private static FrameBatch batch(ByteBuf plain) {
    ByteBuf payload = PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(PAYLOAD);
    FrameBatch batch = new FrameBatch(PooledByteBufAllocator.DEFAULT, payload, HEADER.length);
    for (int frame = 0; frame < 3; frame++) {
      batch.headers().writeBytes(HEADER);
      batch.endFrame();
      plain.writeBytes(HEADER).writeBytes(PAYLOAD);
    }
    payload.release();
    return batch;
  }

  @AfterEach
  void release() {
    batch.release();
  }

  static Stream<Function<ByteBuf, Object>> reads() {
    return Stream.of(
        in -> in.getByte(7),
        in -> in.getShort(2),
        in -> in.getShortLE(2),
        in -> in.getUnsignedMedium(6),
        in -> in.getUnsignedMediumLE(6),
        in -> in.getInt(1),
        in -> in.getIntLE(1),
        in -> in.getLong(5),
        in -> in.getLongLE(5),
        in -> in.nioBuffer(1, 12),
        in -> in.internalNioBuffer(1, 12),
        in -> in.copy(1, 12),
        in -> {
          ByteBuf target = Unpooled.buffer().writeZero(20);
          assertThat(in.getBytes(1, target, 3, 12)).isSameAs(in);
          return target;
        },
        in -> {
          byte[] target = new byte[20];
          assertThat(in.getBytes(1, target, 3, 12)).isSameAs(in);
          return Unpooled.wrappedBuffer(target);
        },
        in -> {
          ByteBuffer target = ByteBuffer.allocate(12);
          assertThat(in.getBytes(1, target)).isSameAs(in);
          return target.flip();
        },
        in -> {
          ByteArrayOutputStream target = new ByteArrayOutputStream();
          try {
            assertThat(in.getBytes(1, target, 12)).isSameAs(in);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return Unpooled.wrappedBuffer(target.toByteArray());
        });
  }

  @ParameterizedTest
  @MethodSource("reads")
  void shouldReadAsAPlainBufferDoes(Function<ByteBuf, Object> read) {
    assertThat(read.apply(batch)).isEqualTo(read.apply(plain));
  }

  @Test
  void shouldWriteItselfToChannels(@TempDir Path folder) throws IOException {
    byte[] expected = ByteBufUtil.getBytes(plain, 1, 12);
    Path file = folder.resolve("file");
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(batch.getBytes(1, (GatheringByteChannel) out, 12)).isEqualTo(12);
      assertThat(batch.getBytes(1, out, 12, 12)).isEqualTo(12);
    }

    byte[] written = Files.readAllBytes(file);
    assertThat(written).hasSize(24).startsWith(expected).endsWith(expected);
  }

  @Test
  void shouldSayWhatItIs() {
    assertThat(batch.isDirect()).isTrue();
    assertThat(batch.isReadOnly()).isTrue();
    assertThat(batch.isContiguous()).isFalse();
    assertThat(batch.hasArray()).isFalse();
    assertThat(batch.hasMemoryAddress()).isFalse();
    assertThat(batch.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
    assertThat(batch.unwrap()).isNull();
    assertThat(batch.alloc()).isSameAs(PooledByteBufAllocator.DEFAULT);
    assertThatThrownBy(batch::array).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(batch::arrayOffset).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(batch::memoryAddress).isInstanceOf(UnsupportedOperationException.class);
  }

  /** A frame may be added after somebody has looked. */
  @Test
  void shouldShowAFrameThatIsAddedAfterItWasRead() {
    assertThat(batch.getByte(7)).isEqualTo(plain.getByte(7));
    batch.headers().writeBytes(HEADER);
    batch.endFrame();
    plain.writeBytes(HEADER).writeBytes(PAYLOAD);

    assertThat(batch.getLong(24)).isEqualTo(plain.getLong(24));
  }

  interface Write {
    void to(ByteBuf buffer) throws IOException;
  }

  static Stream<Write> writes() {
    ByteArrayInputStream in = new ByteArrayInputStream(new byte[8]);
    return Stream.of(
        buffer -> buffer.capacity(100),
        buffer -> buffer.setByte(0, 1),
        buffer -> buffer.setShort(0, 1),
        buffer -> buffer.setShortLE(0, 1),
        buffer -> buffer.setMedium(0, 1),
        buffer -> buffer.setMediumLE(0, 1),
        buffer -> buffer.setInt(0, 1),
        buffer -> buffer.setIntLE(0, 1),
        buffer -> buffer.setLong(0, 1),
        buffer -> buffer.setLongLE(0, 1),
        buffer -> buffer.setBytes(0, Unpooled.wrappedBuffer(new byte[2]), 0, 2),
        buffer -> buffer.setBytes(0, new byte[2], 0, 2),
        buffer -> buffer.setBytes(0, ByteBuffer.allocate(2)),
        buffer -> buffer.setBytes(0, in, 2),
        buffer -> buffer.setBytes(0, (ScatteringByteChannel) null, 2),
        buffer -> buffer.setBytes(0, (FileChannel) null, 0, 2));
  }

  /** What is in it is shared with other connections. */
  @ParameterizedTest
  @MethodSource("writes")
  void shouldNotBeWrittenTo(Write write) {
    assertThatThrownBy(() -> write.to(batch)).isInstanceOf(ReadOnlyBufferException.class);
  }
}
