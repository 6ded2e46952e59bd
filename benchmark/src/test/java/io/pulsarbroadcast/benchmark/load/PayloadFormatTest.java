/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class PayloadFormatTest {
  private final PayloadFormat format = new PayloadFormat(7);

  private ByteBuf payload(int sizeBytes) {
    return Unpooled.wrappedBuffer(format.create(sizeBytes, 42, 123_456_789L, new Random(1)));
  }

  @Test
  void shouldReadWhatItWrote() {
    for (int sizeBytes : new int[] {PayloadFormat.MIN_SIZE_BYTES, 33, 100, 10_240}) {
      ByteBuf buffer = payload(sizeBytes);

      assertThat(PayloadFormat.isIntact(buffer, 0, sizeBytes)).isTrue();
      assertThat(PayloadFormat.sequence(buffer, 0)).isEqualTo(42);
      assertThat(PayloadFormat.intendedNanos(buffer, 0)).isEqualTo(123_456_789L);
      assertThat(format.isOfThisRun(buffer, 0)).isTrue();
      assertThat(new PayloadFormat(8).isOfThisRun(buffer, 0)).isFalse();
    }
  }

  @Test
  void shouldNoticeWhatIsCutOrChanged() {
    ByteBuf buffer = payload(100);
    assertThat(PayloadFormat.isIntact(buffer, 0, 99)).isFalse();
    assertThat(PayloadFormat.isIntact(buffer, 0, 8)).isFalse();

    for (int index : new int[] {0, 5, 9, 95}) {
      ByteBuf damaged = payload(100);
      damaged.setByte(index, damaged.getByte(index) ^ 1);
      assertThat(PayloadFormat.isIntact(damaged, 0, 100)).as("byte %d", index).isFalse();
    }
  }

  @Test
  void shouldNotCompress() throws IOException {
    byte[] payload = format.create(10_240, 1, 1, new Random(1));
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
      gzip.write(payload);
    }
    assertThat(compressed.size()).isGreaterThan(10_200);
  }
}
