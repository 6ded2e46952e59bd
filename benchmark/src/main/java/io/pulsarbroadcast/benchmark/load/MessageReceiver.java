/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.buffer.ByteBuf;
import io.pulsarbroadcast.benchmark.load.DeliveryListener.Received;
import java.util.zip.CRC32C;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandAckResponse;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Takes the messages of one connection: counts, measures, acknowledges and renews permits. Only
 * that connection's event loop may call it.
 */
final class MessageReceiver {
  private static final int MAGIC_BYTES = 2;
  private static final int CHECKSUM_BYTES = 4;
  private static final int SIZE_BYTES = 4;

  /** Marks the request id of an acknowledgement; below it are the consumer and the message. */
  private static final long RECEIPT_ID_BASE = 1L << 60;

  private static final long NO_RECEIPT = -1;

  private final LoadConfig config;
  private final AckPolicy.Kind ackKind;
  private final ConsumerTable table;
  private final LoopStats stats;
  private final PayloadFormat payloads;
  private final CommandWriter writer;
  private final DeliveryListener listener;
  private final boolean wantsReceipts;
  private final int permitsToRenew;
  private final CRC32C crc32c = new CRC32C();

  /** Of the message being taken. */
  private long receiptId;

  MessageReceiver(LoadConfig config, ConsumerTable table, LoopStats stats, CommandWriter writer) {
    this.config = config;
    this.ackKind = config.ackPolicy.kind();
    this.table = table;
    this.stats = stats;
    this.payloads = new PayloadFormat(config.run);
    this.writer = writer;
    this.listener = config.deliveryListener;
    this.wantsReceipts = listener != null && listener.wantsReceipts();
    this.permitsToRenew =
        config.receiverQueueSize == 0
            ? Integer.MAX_VALUE
            : Math.max(1, config.receiverQueueSize / 2);
  }

  /**
   * Takes one message; the buffer's reader index is behind the command and {@code end} is the end
   * of the frame.
   */
  void message(int consumer, CommandMessage command, ByteBuf buffer, int end) {
    long nowNanos = System.nanoTime();
    int payload = findPayload(buffer, end);
    MessageIdData id = command.getMessageId();
    boolean acknowledge = true;
    receiptId = NO_RECEIPT;
    if (payload < 0 || !PayloadFormat.isIntact(buffer, payload, end - payload)) {
      stats.corrupt++;
    } else {
      acknowledge = book(consumer, command, buffer, payload, nowNanos);
    }
    if (acknowledge) {
      acknowledge(consumer, id.getLedgerId(), id.getEntryId());
    }
    renewPermits(consumer);
  }

  /** Counts an intact message; false when the listener does not want it acknowledged. */
  private boolean book(
      int consumer, CommandMessage command, ByteBuf buffer, int payload, long nowNanos) {
    MessageIdData id = command.getMessageId();
    long sequence = PayloadFormat.sequence(buffer, payload);
    if (!payloads.isOfThisRun(buffer, payload) || !table.knows(sequence)) {
      stats.unexpected++;
      return true;
    }
    long nanos = nowNanos - PayloadFormat.intendedNanos(buffer, payload);
    // Where a consumer begins is not for the listener: it may subscribe in the middle of a run.
    boolean begun = table.received(consumer) > 0;
    int disorder = table.disorder(consumer);
    boolean first = table.record(consumer, (int) sequence, id.getLedgerId(), id.getEntryId());
    if (first) {
      stats.record((int) sequence, nanos);
    }
    if (listener == null) {
      return true;
    }
    if (begun && table.disorder(consumer) > disorder) {
      listener.disordered(consumer);
    }
    if (wantsReceipts) {
      receiptId = RECEIPT_ID_BASE | (long) consumer << Integer.SIZE | sequence;
    }
    return listener.received(
        consumer,
        new Received(
            (int) sequence,
            first,
            id.getLedgerId(),
            id.getEntryId(),
            command.getRedeliveryCount()));
  }

  /** The broker has answered an acknowledgement; with an error, it counts as not processed. */
  void receipt(CommandAckResponse response) {
    long id = response.getRequestId();
    if (listener != null && (id & RECEIPT_ID_BASE) != 0 && !response.hasError()) {
      listener.receipt((int) ((id ^ RECEIPT_ID_BASE) >>> Integer.SIZE), (int) id);
    }
  }

  /** The index of the payload, or -1 when the frame is damaged. The metadata is not parsed. */
  private int findPayload(ByteBuf buffer, int end) {
    int index = buffer.readerIndex();
    if (end - index >= MAGIC_BYTES + SIZE_BYTES
        && buffer.getShort(index) == Commands.magicBrokerEntryMetadata) {
      index += MAGIC_BYTES;
      index += SIZE_BYTES + Math.max(0, buffer.getInt(index));
    }
    if (end - index >= MAGIC_BYTES + CHECKSUM_BYTES
        && buffer.getShort(index) == Commands.magicCrc32c) {
      int checksum = buffer.getInt(index + MAGIC_BYTES);
      index += MAGIC_BYTES + CHECKSUM_BYTES;
      if (config.verifyChecksums && checksum != checksumOf(buffer, index, end)) {
        return -1;
      }
    }
    if (end - index < SIZE_BYTES) {
      return -1;
    }
    int metadataBytes = buffer.getInt(index);
    index += SIZE_BYTES;
    return metadataBytes < 0 || metadataBytes > end - index ? -1 : index + metadataBytes;
  }

  private int checksumOf(ByteBuf buffer, int index, int end) {
    crc32c.reset();
    crc32c.update(buffer.internalNioBuffer(index, end - index));
    return (int) crc32c.getValue();
  }

  private void acknowledge(int consumer, long ledgerId, long entryId) {
    switch (ackKind) {
      case CUMULATIVE -> {
        if (++table.unacknowledged[consumer] >= config.ackPolicy.every()) {
          table.unacknowledged[consumer] = 0;
          send(consumer, AckType.Cumulative, ledgerId, entryId);
        }
      }
      case CUMULATIVE_TIMED -> table.unacknowledged[consumer]++;
      case INDIVIDUAL -> send(consumer, AckType.Individual, ledgerId, entryId);
      case NONE -> {}
    }
  }

  private void send(int consumer, AckType type, long ledgerId, long entryId) {
    if (receiptId == NO_RECEIPT) {
      writer.ack(consumer, type, ledgerId, entryId);
    } else {
      writer.ackWithReceipt(consumer, type, ledgerId, entryId, receiptId);
    }
  }

  private void renewPermits(int consumer) {
    if (++table.permitsUsed[consumer] >= permitsToRenew) {
      writer.flow(consumer, table.permitsUsed[consumer]);
      table.permitsUsed[consumer] = 0;
    }
  }
}
