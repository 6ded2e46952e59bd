/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;

/**
 * The frame of an acknowledgement. Many consumers acknowledge the same message one after the other:
 * all but the consumer's id is encoded once. Only one connection's event loop may call it.
 *
 * <pre>
 * [total size][command size][ type: ACK | ack: length ( consumer_id | type, message id ) ]
 *                                                       ^ per consumer
 * </pre>
 */
final class AckFrame {
  private static final int SIZES_BYTES = 8;
  private static final int TYPE_BYTES = 2;

  private final BaseCommand command = new BaseCommand().setType(BaseCommand.Type.ACK);

  /** On the heap, and exactly as large as the frame. */
  private ByteBuf frame = Unpooled.EMPTY_BUFFER;

  private AckType type;
  private long ledgerId;
  private long entryId;
  private int idIndex;
  private int idBytes;

  AckFrame() {
    command.setAck().addMessageId();
  }

  void write(ByteBuf out, int consumer, AckType ackType, long ledger, long entry) {
    int bytesOfId = Varint.bytes(consumer);
    if (ackType != type || ledger != ledgerId || entry != entryId || bytesOfId != idBytes) {
      type = ackType;
      ledgerId = ledger;
      entryId = entry;
      idBytes = bytesOfId;
      layOut(consumer);
    }
    Varint.write(frame.writerIndex(idIndex), consumer);
    out.writeBytes(frame.array());
  }

  private void layOut(int consumer) {
    // Each setter makes its object forget the size it had last time.
    command.setAck().setConsumerId(consumer).setAckType(type);
    command.getAck().getMessageIdAt(0).setLedgerId(ledgerId).setEntryId(entryId);
    int bytes = command.getSerializedSize();
    int ackBytes = command.getAck().getSerializedSize();
    frame = Unpooled.buffer(SIZES_BYTES + bytes);
    frame.writeInt(bytes + Integer.BYTES);
    frame.writeInt(bytes);
    command.writeTo(frame);
    // Behind the type, the tag and the length of the acknowledgement, and the tag of the id.
    idIndex = SIZES_BYTES + TYPE_BYTES + 1 + Varint.bytes(ackBytes) + 1;
  }
}
