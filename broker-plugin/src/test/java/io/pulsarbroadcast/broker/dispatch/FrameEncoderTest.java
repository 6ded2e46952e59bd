/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The frames are those of the broker's own encoder, byte for byte. */
class FrameEncoderTest {

  private final ByteBuf payload =
      Unpooled.copiedBuffer("metadata and payload", StandardCharsets.UTF_8);

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, -1, 0, -1",
    "127, 1, 2, -1, 0, 0",
    "128, 5, 300, 3, 2, 0",
    "99999, 9223372036854775806, 49999, 15, 0, 7",
    "9223372036854775807, 12345678901, 1, -1, 1000, 12345678901",
  })
  void shouldMatchTheBrokersEncoder(
      long consumerId, long ledgerId, long entryId, int partition, int redeliveries, long epoch) {
    BroadcastEntry entry = new BroadcastEntry(0, 0, ledgerId, entryId, 1, null, payload);
    ByteBuf frame = Unpooled.buffer();
    new FrameEncoder(partition)
        .writeHeader(frame, consumerId, entry, redeliveries, epoch, null, payload.readableBytes());
    assertThat(frame.readableBytes()).isLessThanOrEqualTo(FrameEncoder.MAX_HEADER_BYTES);
    frame.writeBytes(payload.duplicate());
    assertThat(ByteBufUtil.getBytes(frame))
        .isEqualTo(broker(consumerId, ledgerId, entryId, partition, redeliveries, null, epoch));
  }

  /** Only what differs from the frame before is encoded again: here one thing at a time. */
  @Test
  void shouldEncodeWhatDiffersFromTheFrameBefore() {
    FrameEncoder encoder = new FrameEncoder(-1);
    // Consumer, ledger, entry, redeliveries, epoch.
    long[][] frames = {
      {7, 4, 8, 0, -1}, {7, 4, 8, 0, -1}, {300, 4, 8, 0, -1}, {300, 5, 8, 0, -1},
      {300, 5, 9, 0, -1}, {300, 5, 9, 1, -1}, {300, 5, 9, 1, 2}, {8, 5, 9, 1, 2},
    };
    for (long[] frame : frames) {
      int redeliveries = (int) frame[3];
      ByteBuf out = Unpooled.buffer();
      encoder.writeHeader(
          out,
          frame[0],
          new BroadcastEntry(0, 0, frame[1], frame[2], 1, null, payload),
          redeliveries,
          frame[4],
          null,
          payload.readableBytes());
      out.writeBytes(payload.duplicate());
      assertThat(ByteBufUtil.getBytes(out))
          .isEqualTo(broker(frame[0], frame[1], frame[2], -1, redeliveries, null, frame[4]));
    }
  }

  @Test
  void shouldSayWhatIsLeftOfABatch() {
    FrameEncoder encoder = new FrameEncoder(3);
    BroadcastEntry entry = new BroadcastEntry(0, 9, 4, 9, 100, null, payload);
    for (long[] ackSet : new long[][] {{5}, null, {-1, 7}, new long[1024]}) {
      ByteBuf frame = Unpooled.buffer(FrameEncoder.maxHeaderBytes(ackSet));
      encoder.writeHeader(frame, 7, entry, 1, -1, ackSet, payload.readableBytes());
      assertThat(frame.readableBytes()).isLessThanOrEqualTo(FrameEncoder.maxHeaderBytes(ackSet));
      frame.writeBytes(payload.duplicate());
      assertThat(ByteBufUtil.getBytes(frame)).isEqualTo(broker(7, 4, 9, 3, 1, ackSet, -1));
      frame.release();
    }
  }

  private byte[] broker(
      long consumerId,
      long ledgerId,
      long entryId,
      int partition,
      int redeliveries,
      long[] ackSet,
      long epoch) {
    ByteBufPair pair =
        Commands.serializeCommandMessageWithSize(
            Commands.newMessageCommand(
                consumerId, ledgerId, entryId, partition, redeliveries, ackSet, epoch),
            payload.duplicate().retain());
    ByteBuf whole = ByteBufPair.coalesce(pair);
    try {
      return ByteBufUtil.getBytes(whole);
    } finally {
      whole.release();
    }
  }
}
