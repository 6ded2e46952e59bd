/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Builds the MESSAGE frames of one entry for many consumers. Only the consumer id differs between
 * them, so everything before the payload is laid out once per entry and length of the id; for each
 * consumer the id is put in its place and the whole is copied. The payload is shared.
 *
 * <p>Confined to one connection's event loop. The result is byte for byte what the broker's own
 * encoder makes, up to the order of protobuf fields inside CommandMessage.
 *
 * <pre>
 * [total size][command size][ type: MESSAGE | message: length ( consumer_id | message_id, redelivery, epoch ) ][payload]
 *                                                               ^ per consumer
 * </pre>
 */
final class FrameEncoder {

  /** Bytes before the payload are at most this many, when no part of a batch is acknowledged. */
  static final int MAX_HEADER_BYTES = 128;

  /** One word of 64 messages of a batch that is acknowledged in part. */
  private static final int MAX_ACK_SET_WORD_BYTES = 11;

  private static final int TYPE_TAG = 1 << 3;

  /**
   * Field 9 of BaseCommand, length-delimited; Pulsar's generated code does not publish its field
   * numbers.
   */
  private static final int MESSAGE_TAG = 9 << 3 | 2;

  private static final int CONSUMER_ID_TAG = 1 << 3;

  private final int partition;
  private final CommandMessage command = new CommandMessage();

  /** What follows the consumer id in the command of the entry below. */
  private byte[] commandTail = new byte[0];

  private long encodedLedgerId = -1;
  private long encodedEntryId = -1;
  private long encodedEpoch;
  private int encodedRedeliveries;
  private long[] encodedAckSet;

  /** The whole header, for ids of one length; laid out anew when that or the entry changes. */
  private ByteBuf header = Unpooled.EMPTY_BUFFER;

  private int idIndex;
  private int idBytes;
  private int headerPayloadBytes;

  /**
   * @param partition the topic's partition index, or -1
   */
  FrameEncoder(int partition) {
    this.partition = partition;
  }

  /**
   * Writes everything of a frame but the payload.
   *
   * @param epoch the consumer's epoch, or {@link Commands#DEFAULT_CONSUMER_EPOCH}
   * @param ackSet a bit per message of the batch that is not acknowledged; null: none of them is
   */
  void writeHeader(
      ByteBuf out,
      long consumerId,
      BroadcastEntry entry,
      int redeliveries,
      long epoch,
      long[] ackSet,
      int payloadBytes) {
    boolean same = isEncoded(entry, redeliveries, epoch, ackSet);
    if (!same) {
      encode(entry, redeliveries, epoch, ackSet);
    }
    int bytesOfId = varintBytes(consumerId);
    if (!same || bytesOfId != idBytes || payloadBytes != headerPayloadBytes) {
      layOut(bytesOfId, payloadBytes);
    }
    putVarint(header.array(), idIndex, consumerId);
    out.writeBytes(header.array(), 0, header.writerIndex());
  }

  /** The most that a header with this ack set takes. */
  static int maxHeaderBytes(long[] ackSet) {
    return MAX_HEADER_BYTES + (ackSet == null ? 0 : ackSet.length * MAX_ACK_SET_WORD_BYTES);
  }

  private boolean isEncoded(BroadcastEntry entry, int redeliveries, long epoch, long[] ackSet) {
    return ackSet == null
        && encodedAckSet == null
        && entry.ledgerId() == encodedLedgerId
        && entry.entryId() == encodedEntryId
        && epoch == encodedEpoch
        && redeliveries == encodedRedeliveries;
  }

  private void encode(BroadcastEntry entry, int redeliveries, long epoch, long[] ackSet) {
    command.clear();
    MessageIdData id = command.setMessageId();
    id.setLedgerId(entry.ledgerId()).setEntryId(entry.entryId()).setPartition(partition);
    if (redeliveries > 0) {
      command.setRedeliveryCount(redeliveries);
    }
    if (epoch > Commands.DEFAULT_CONSUMER_EPOCH) {
      command.setConsumerEpoch(epoch);
    }
    if (ackSet != null) {
      for (long word : ackSet) {
        command.addAckSet(word);
      }
    }
    // consumer_id is required by the encoder; it is field 1 and so comes first: encode it as 0 (two
    // bytes), cut it off.
    command.setConsumerId(0);
    byte[] whole = command.toByteArray();
    commandTail = Arrays.copyOfRange(whole, 2, whole.length);
    encodedLedgerId = entry.ledgerId();
    encodedEntryId = entry.entryId();
    encodedEpoch = epoch;
    encodedRedeliveries = redeliveries;
    encodedAckSet = ackSet;
  }

  private void layOut(int bytesOfId, int payloadBytes) {
    int messageBytes = 1 + bytesOfId + commandTail.length;
    int commandBytes = 2 + varintBytes(MESSAGE_TAG) + varintBytes(messageBytes) + messageBytes;
    header = Unpooled.buffer(8 + commandBytes);
    header.writeInt(4 + commandBytes + payloadBytes);
    header.writeInt(commandBytes);
    header.writeByte(TYPE_TAG);
    header.writeByte(BaseCommand.Type.MESSAGE.getValue());
    writeVarint(header, MESSAGE_TAG);
    writeVarint(header, messageBytes);
    header.writeByte(CONSUMER_ID_TAG);
    idIndex = header.writerIndex();
    header.writeZero(bytesOfId);
    header.writeBytes(commandTail);
    idBytes = bytesOfId;
    headerPayloadBytes = payloadBytes;
  }

  private static int varintBytes(long value) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(value | 1);
    return (bits + 6) / 7;
  }

  private static void writeVarint(ByteBuf out, long value) {
    int index = out.writerIndex();
    out.writeZero(varintBytes(value));
    putVarint(out.array(), index, value);
  }

  private static void putVarint(byte[] bytes, int index, long value) {
    int at = index;
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[at++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    bytes[at] = (byte) rest;
  }
}
