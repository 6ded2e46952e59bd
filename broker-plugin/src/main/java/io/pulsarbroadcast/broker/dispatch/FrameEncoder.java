/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Builds the MESSAGE frames of one entry for many consumers. Only the consumer id differs between
 * them, so everything else is encoded once: the protobuf before the id, the protobuf after it, and
 * the payload, which is shared.
 *
 * <p>Confined to one connection's event loop. The result is byte for byte what the broker's own
 * encoder makes, up to the order of protobuf fields inside CommandMessage.
 *
 * <pre>
 * [total size][command size][ type: MESSAGE | message: length ( consumer_id | message_id, redelivery, epoch ) ][payload]
 *                                                               ^ per consumer  ^ {@code commandTail}
 * </pre>
 */
final class FrameEncoder {

  private static final int TYPE_TAG = 1 << 3;

  /**
   * Field 9 of BaseCommand, length-delimited; Pulsar's generated code does not publish its field
   * numbers.
   */
  private static final int MESSAGE_TAG = 9 << 3 | 2;

  private static final int CONSUMER_ID_TAG = 1 << 3;

  private final int partition;
  private final CommandMessage command = new CommandMessage();
  private byte[] commandTail = new byte[0];
  private long encodedLedgerId = -1;
  private long encodedEntryId = -1;
  private long encodedEpoch;
  private int encodedRedeliveries;
  private long[] encodedAckSet;

  /**
   * @param partition the topic's partition index, or -1
   */
  FrameEncoder(int partition) {
    this.partition = partition;
  }

  /** Bytes before the payload are at most this many, when no part of a batch is acknowledged. */
  static final int MAX_HEADER_BYTES = 128;

  /** One word of 64 messages of a batch that is acknowledged in part. */
  private static final int MAX_ACK_SET_WORD_BYTES = 11;

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
    prepare(entry, redeliveries, epoch, ackSet);
    int messageBytes = 1 + varintBytes(consumerId) + commandTail.length;
    int commandBytes = 2 + varintBytes(MESSAGE_TAG) + varintBytes(messageBytes) + messageBytes;
    out.writeInt(4 + commandBytes + payloadBytes);
    out.writeInt(commandBytes);
    out.writeByte(TYPE_TAG);
    out.writeByte(BaseCommand.Type.MESSAGE.getValue());
    writeVarint(out, MESSAGE_TAG);
    writeVarint(out, messageBytes);
    out.writeByte(CONSUMER_ID_TAG);
    writeVarint(out, consumerId);
    out.writeBytes(commandTail);
  }

  /** The most that a header with this ack set takes. */
  static int maxHeaderBytes(long[] ackSet) {
    return MAX_HEADER_BYTES + (ackSet == null ? 0 : ackSet.length * MAX_ACK_SET_WORD_BYTES);
  }

  private void prepare(BroadcastEntry entry, int redeliveries, long epoch, long[] ackSet) {
    if (ackSet == null
        && encodedAckSet == null
        && entry.ledgerId() == encodedLedgerId
        && entry.entryId() == encodedEntryId
        && epoch == encodedEpoch
        && redeliveries == encodedRedeliveries) {
      return;
    }
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

  private static int varintBytes(long value) {
    int bytes = 1;
    for (long rest = value >>> 7; rest != 0; rest >>>= 7) {
      bytes++;
    }
    return bytes;
  }

  private static void writeVarint(ByteBuf out, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.writeByte((int) (rest & 0x7F | 0x80));
      rest >>>= 7;
    }
    out.writeByte((int) rest);
  }
}
