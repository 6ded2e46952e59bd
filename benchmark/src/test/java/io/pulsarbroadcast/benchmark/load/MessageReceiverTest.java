/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.junit.jupiter.api.Test;

class MessageReceiverTest {
  private static final int RUN = 99;
  private final ConsumerTable table = new ConsumerTable(2, 10, true);
  private final LoopStats stats = new LoopStats(10, 0);
  private final CommandWriter writer = new CommandWriter(UnpooledByteBufAllocator.DEFAULT);

  private MessageReceiver receiver(AckPolicy policy) {
    return receiver(policy, null);
  }

  private MessageReceiver receiver(AckPolicy policy, DeliveryListener listener) {
    LoadConfig config =
        LoadConfig.builder()
            .serviceUrl("pulsar://127.0.0.1:6650")
            .topic("persistent://public/default/t")
            .broadcast("s")
            .consumers(2)
            .messages(10)
            .receiverQueueSize(4)
            .ackPolicy(policy)
            .deliveryListener(listener)
            .run(RUN)
            .build();
    return new MessageReceiver(config, table, stats, writer);
  }

  /** What follows the command in a frame: checksum, metadata, payload. */
  private static ByteBuf message(int run, int sequence) {
    return message(new PayloadFormat(run).create(100, sequence, System.nanoTime(), new Random(1)));
  }

  private static ByteBuf message(byte[] payload) {
    MessageMetadata metadata =
        new MessageMetadata().setProducerName("p").setSequenceId(1).setPublishTime(1);
    return Unpooled.copiedBuffer(
        Commands.serializeMetadataAndPayload(
            ChecksumType.Crc32c, metadata, Unpooled.wrappedBuffer(payload)));
  }

  private static void deliver(MessageReceiver receiver, int consumer, ByteBuf message) {
    BaseCommand command = new BaseCommand().setType(BaseCommand.Type.MESSAGE);
    command.setMessage().setConsumerId(consumer).setMessageId().setLedgerId(5).setEntryId(6);
    receiver.message(consumer, command.getMessage(), message, message.writerIndex());
  }

  private List<BaseCommand> written() {
    List<BaseCommand> commands = new ArrayList<>();
    ByteBuf out = writer.take();
    while (out != null && out.isReadable()) {
      out.skipBytes(4);
      int bytes = out.readInt();
      BaseCommand command = new BaseCommand();
      command.parseFrom(out, bytes);
      commands.add(command);
    }
    return commands;
  }

  @Test
  void shouldBookAndAcknowledgeAMessageAsTheBrokerFramesIt() {
    deliver(receiver(AckPolicy.CUMULATIVE), 1, message(RUN, 3));

    assertThat(table.hasReceived(1, 3)).isTrue();
    assertThat(stats.latencyMicros.getTotalCount()).isEqualTo(1);
    List<BaseCommand> commands = written();
    assertThat(commands).hasSize(1);
    assertThat(commands.get(0).getAck().getConsumerId()).isEqualTo(1);
    assertThat(commands.get(0).getAck().getMessageIdAt(0).getLedgerId()).isEqualTo(5);
    assertThat(commands.get(0).getAck().getMessageIdAt(0).getEntryId()).isEqualTo(6);
  }

  @Test
  void shouldRenewHalfOfThePermitsWhenHalfAreUsed() {
    MessageReceiver receiver = receiver(AckPolicy.NONE);

    deliver(receiver, 0, message(RUN, 0));
    assertThat(written()).isEmpty();
    deliver(receiver, 0, message(RUN, 1));

    List<BaseCommand> commands = written();
    assertThat(commands).hasSize(1);
    assertThat(commands.get(0).getFlow().getMessagePermits()).isEqualTo(2);
  }

  @Test
  void shouldAcknowledgeEveryNth() {
    MessageReceiver receiver = receiver(new AckPolicy(AckPolicy.Kind.CUMULATIVE, 3));

    for (int sequence = 0; sequence < 6; sequence++) {
      deliver(receiver, 0, message(RUN, sequence));
    }

    assertThat(written().stream().filter(BaseCommand::hasAck)).hasSize(2);
  }

  @Test
  void shouldCountADamagedMessage() {
    ByteBuf damaged = message(RUN, 0);
    int inTheFilling = damaged.writerIndex() - 20;
    damaged.setByte(inTheFilling, damaged.getByte(inTheFilling) ^ 1);

    deliver(receiver(AckPolicy.CUMULATIVE), 0, damaged);
    deliver(receiver(AckPolicy.CUMULATIVE), 0, Unpooled.buffer().writeInt(-1).writeInt(0));

    assertThat(stats.corrupt).isEqualTo(2);
    assertThat(table.received(0)).isZero();
  }

  @Test
  void shouldCountAPayloadThatWasDamagedBeforeItsChecksumWasMade() {
    byte[] payload = new PayloadFormat(RUN).create(100, 0, System.nanoTime(), new Random(1));
    payload[payload.length - 1] ^= 1;

    deliver(receiver(AckPolicy.CUMULATIVE), 0, message(payload));

    assertThat(stats.corrupt).isEqualTo(1);
    assertThat(table.received(0)).isZero();
  }

  @Test
  void shouldTellTheListenerOfDisorderButNotOfWhereAConsumerBegins() {
    List<Integer> disordered = new ArrayList<>();
    MessageReceiver receiver =
        receiver(
            AckPolicy.CUMULATIVE,
            new DeliveryListener() {
              @Override
              public boolean received(int consumer, Received message) {
                return true;
              }

              @Override
              public void disordered(int consumer) {
                disordered.add(consumer);
              }
            });

    deliver(receiver, 0, message(RUN, 4));
    assertThat(disordered).isEmpty();
    deliver(receiver, 0, message(RUN, 6));

    assertThat(disordered).containsExactly(0);
  }

  @Test
  void shouldNotCountAMessageOfAnotherRun() {
    deliver(receiver(AckPolicy.CUMULATIVE), 0, message(RUN + 1, 0));

    assertThat(stats.unexpected).isEqualTo(1);
    assertThat(table.received(0)).isZero();
  }
}
