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
  private static final int BITS_PER_BYTE = 7;
  private static final int MORE_BYTES_FOLLOW = 0x80;

  private final BaseCommand command = new BaseCommand().setType(BaseCommand.Type.ACK);
  private byte[] frame = {};
  private AckType type;
  private long ledgerId;
  private long entryId;
  private int idIndex;
  private int idBytes;

  AckFrame() {
    command.setAck().addMessageId();
  }

  void write(ByteBuf out, int consumer, AckType ackType, long ledger, long entry) {
    int bytesOfId = varintBytes(consumer);
    if (ackType != type || ledger != ledgerId || entry != entryId || bytesOfId != idBytes) {
      type = ackType;
      ledgerId = ledger;
      entryId = entry;
      idBytes = bytesOfId;
      layOut(consumer);
    }
    int rest = consumer;
    for (int i = idIndex; i < idIndex + idBytes - 1; i++) {
      frame[i] = (byte) (rest | MORE_BYTES_FOLLOW);
      rest >>>= BITS_PER_BYTE;
    }
    frame[idIndex + idBytes - 1] = (byte) rest;
    out.writeBytes(frame);
  }

  private void layOut(int consumer) {
    // Each setter makes its object forget the size it had last time.
    command.setAck().setConsumerId(consumer).setAckType(type);
    command.getAck().getMessageIdAt(0).setLedgerId(ledgerId).setEntryId(entryId);
    int bytes = command.getSerializedSize();
    int ackBytes = command.getAck().getSerializedSize();
    ByteBuf out = Unpooled.buffer(SIZES_BYTES + bytes);
    out.writeInt(bytes + Integer.BYTES);
    out.writeInt(bytes);
    command.writeTo(out);
    frame = out.array();
    // Behind the type, the tag and the length of the acknowledgement, and the tag of the id.
    idIndex = SIZES_BYTES + TYPE_BYTES + 1 + varintBytes(ackBytes) + 1;
  }

  private static int varintBytes(int value) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(value | 1);
    return (bits + BITS_PER_BYTE - 1) / BITS_PER_BYTE;
  }
}
