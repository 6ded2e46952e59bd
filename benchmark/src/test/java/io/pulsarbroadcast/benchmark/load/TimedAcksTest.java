/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.junit.jupiter.api.Test;

class TimedAcksTest {
  private static final int CONSUMERS = 100;
  private final ConsumerTable table = new ConsumerTable(CONSUMERS, 1, true);
  private final CommandWriter writer = new CommandWriter(UnpooledByteBufAllocator.DEFAULT);
  private final TimedAcks acks = new TimedAcks(AckPolicy.timed(1_000), table, writer, 0, CONSUMERS);

  private void received(int consumer, long entryId) {
    table.state[consumer] = ConsumerTable.SUBSCRIBED;
    table.unacknowledged[consumer]++;
    table.lastLedgerId[consumer] = 7;
    table.lastEntryId[consumer] = entryId;
  }

  private List<CommandAck> tick() {
    acks.tick();
    List<CommandAck> written = new ArrayList<>();
    ByteBuf out = writer.take();
    while (out != null && out.isReadable()) {
      out.skipBytes(4);
      int bytes = out.readInt();
      BaseCommand command = new BaseCommand();
      command.parseFrom(out, bytes);
      written.add(command.getAck());
    }
    return written;
  }

  @Test
  void shouldAcknowledgeTheLastMessageOfEachConsumerOnceAnInterval() {
    for (int consumer = 0; consumer < CONSUMERS; consumer++) {
      received(consumer, 1);
      received(consumer, 2);
    }

    List<CommandAck> written = new ArrayList<>();
    for (int slice = 0; slice < 20; slice++) {
      List<CommandAck> ofSlice = tick();
      assertThat(ofSlice).as("a twentieth of them, every 50 ms").hasSize(5);
      written.addAll(ofSlice);
    }

    assertThat(written.stream().map(CommandAck::getConsumerId).distinct()).hasSize(CONSUMERS);
    assertThat(written).allMatch(ack -> ack.getAckType() == AckType.Cumulative);
    assertThat(written).allMatch(ack -> ack.getMessageIdAt(0).getEntryId() == 2);
    for (int slice = 0; slice < 20; slice++) {
      assertThat(tick()).as("nothing has come since").isEmpty();
    }
  }

  @Test
  void shouldNotAcknowledgeForAConsumerThatIsNotSubscribed() {
    received(0, 1);
    table.state[0] = ConsumerTable.SUBSCRIBING;

    assertThat(tick()).isEmpty();
  }
}
