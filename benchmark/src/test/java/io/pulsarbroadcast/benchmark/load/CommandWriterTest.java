/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.junit.jupiter.api.Test;

class CommandWriterTest {
  private final CommandWriter writer = new CommandWriter(UnpooledByteBufAllocator.DEFAULT);

  private static BaseCommand read(ByteBuf out) {
    int frameBytes = out.readInt();
    int commandBytes = out.readInt();
    assertThat(commandBytes).isEqualTo(frameBytes - 4);
    BaseCommand command = new BaseCommand();
    command.parseFrom(out, commandBytes);
    return command;
  }

  @Test
  void shouldWriteAcksOfAnySizeWithTheFrameItUsesAgain() {
    long[][] acks = {
      {1, 1, 1},
      {100_000, 1L << 40, 1L << 33},
      {2, 0, 0},
      {99_999, 300, 127},
      {0, 300, 127},
      {127, 300, 127},
      {128, 300, 127},
      {16_383, 300, 127},
      {16_384, 300, 127},
      {2_097_152, 300, 127},
      {Integer.MAX_VALUE, 300, 127}
    };
    for (long[] ack : acks) {
      writer.ack((int) ack[0], AckType.Cumulative, ack[1], ack[2]);
      writer.pong();
    }

    ByteBuf out = writer.take();
    for (long[] ack : acks) {
      BaseCommand command = read(out);
      assertThat(command.getType()).isEqualTo(BaseCommand.Type.ACK);
      assertThat(command.getAck().getConsumerId()).isEqualTo(ack[0]);
      assertThat(command.getAck().getAckType()).isEqualTo(AckType.Cumulative);
      assertThat(command.getAck().getMessageIdsCount()).isEqualTo(1);
      assertThat(command.getAck().getMessageIdAt(0).getLedgerId()).isEqualTo(ack[1]);
      assertThat(command.getAck().getMessageIdAt(0).getEntryId()).isEqualTo(ack[2]);
      assertThat(read(out).getType()).isEqualTo(BaseCommand.Type.PONG);
    }
    assertThat(out.isReadable()).isFalse();
    assertThat(writer.take()).isNull();
  }

  @Test
  void shouldNotTakeAnAckForOneOfAnotherType() {
    writer.ack(5, AckType.Cumulative, 3, 4);
    writer.ack(5, AckType.Individual, 3, 4);

    ByteBuf out = writer.take();
    assertThat(read(out).getAck().getAckType()).isEqualTo(AckType.Cumulative);
    assertThat(read(out).getAck().getAckType()).isEqualTo(AckType.Individual);
  }

  @Test
  void shouldLetAcksWaitForMoreButNotPermits() {
    writer.ack(5, AckType.Cumulative, 3, 4);
    assertThat(writer.canWait()).isTrue();

    writer.flow(5, 50);
    assertThat(writer.canWait()).isFalse();

    writer.take().release();
    assertThat(writer.canWait()).as("nothing is collected").isFalse();
  }
}
