/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ReadEntryCallback;
import org.apache.bookkeeper.mledger.Entry;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.protocol.Commands;

/**
 * The last message of a topic that a consumer can be given, and one consumer's position: what a
 * client asks for to know whether there is more. Immutable.
 *
 * @param last the last entry, or entry -1 when there is none
 * @param batchIndex the last index in its batch, or -1 when it is no batch
 * @param acknowledged the last acknowledged entry, or null
 */
record LastMessageId(Position last, int batchIndex, int partition, Position acknowledged) {

  /** Finds it; reads the last entry to know the size of its batch. From any thread. */
  static CompletableFuture<LastMessageId> of(PersistentTopic topic) {
    int partition = TopicName.getPartitionIndex(topic.getName());
    return BROKER
        .transactionBufferRecovered(topic)
        .thenCompose(recovered -> topic.getLastDispatchablePosition())
        .thenCompose(
            last -> {
              ManagedLedgerImpl ledger = (ManagedLedgerImpl) topic.getManagedLedger();
              if (last.getEntryId() < 0
                  || !ledger.getLedgersInfo().containsKey(last.getLedgerId())) {
                return CompletableFuture.completedFuture(
                    new LastMessageId(BROKER.earliest(), -1, partition, null));
              }
              return batchIndexAt(ledger, last)
                  .thenApply(batchIndex -> new LastMessageId(last, batchIndex, partition, null));
            });
  }

  LastMessageId with(Position position) {
    return new LastMessageId(last, batchIndex, partition, position);
  }

  ByteBuf response(long requestId) {
    return Commands.newGetLastMessageIdResponse(
        requestId,
        last.getLedgerId(),
        last.getEntryId(),
        partition,
        batchIndex,
        acknowledged == null ? -1 : acknowledged.getLedgerId(),
        acknowledged == null ? -1 : acknowledged.getEntryId());
  }

  private static CompletableFuture<Integer> batchIndexAt(
      ManagedLedgerImpl ledger, Position position) {
    CompletableFuture<Integer> batchIndex = new CompletableFuture<>();
    BROKER.readEntry(ledger, position, completing(batchIndex));
    return batchIndex;
  }

  /**
   * Completes a future with the last index in the batch that is read, or -1 when it is no batch.
   */
  static ReadEntryCallback completing(CompletableFuture<Integer> batchIndex) {
    return new ReadEntryCallback() {
      @Override
      public void readEntryComplete(Entry entry, Object ctx) {
        try {
          MessageMetadata metadata = Commands.parseMessageMetadata(entry.getDataBuffer());
          batchIndex.complete(
              metadata.hasNumMessagesInBatch() ? metadata.getNumMessagesInBatch() - 1 : -1);
        } catch (RuntimeException e) {
          batchIndex.completeExceptionally(e);
        } finally {
          entry.release();
        }
      }

      @Override
      public void readEntryFailed(ManagedLedgerException exception, Object ctx) {
        batchIndex.completeExceptionally(exception);
      }
    };
  }
}
