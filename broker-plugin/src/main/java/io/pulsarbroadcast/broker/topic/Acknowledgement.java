/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.cursor.VirtualCursor.AckResult;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageIdData;

/**
 * Brings acknowledgements on one Broadcast subscription to their consumers' positions; what cannot
 * be taken is counted and logged, and moves nothing. Immutable; may be called from any thread, in
 * any order.
 */
final class Acknowledgement {

  /** A batch may have this many messages, for what a client may claim of it. */
  private static final int MAX_ACK_SET_WORDS = 1 << 10;

  private final LedgerIndex index;
  private final ServiceConfiguration broker;

  /**
   * @param index which ordinal each entry of the topic has
   * @param broker says whether acknowledgements of single messages of a batch are taken
   */
  Acknowledgement(LedgerIndex index, ServiceConfiguration broker) {
    this.index = index;
    this.broker = broker;
  }

  /** The consumer that acknowledges. */
  interface Taker {

    /** What it has acknowledged. */
    VirtualCursor position();

    /** Whether that is moved by a seek or reset; to be asked under the position's monitor. */
    boolean isBeingMoved();

    /** The contract that it asked for. */
    SubType subType();

    /** Counts an acknowledgement that is not taken. */
    void refuse(long ledgerId, long entryId, String reason);
  }

  /**
   * Takes every id of an acknowledgement, up to the moment that the position begins to be moved.
   *
   * @return whether there is something to store
   */
  boolean take(CommandAck ack, Taker taker) {
    boolean changed = false;
    for (int i = 0; i < ack.getMessageIdsCount(); i++) {
      // Each alone: a reset begins on another thread, and there may be very many.
      synchronized (taker.position()) {
        if (taker.isBeingMoved()) {
          break;
        }
        changed |= take(ack.getMessageIdAt(i), ack.getAckType(), taker);
      }
    }
    return changed;
  }

  private boolean take(MessageIdData id, AckType type, Taker taker) {
    boolean beforeLedger = isBeforeLedger(id, type);
    long ordinal =
        beforeLedger
            ? index.ordinalAfter(id.getLedgerId(), -1) - 1
            : index.ordinalOf(id.getLedgerId(), id.getEntryId());
    if (ordinal == LedgerIndex.UNKNOWN) {
      if (!beforeLedger && !index.isTrimmed(id.getLedgerId())) {
        refuse(id, taker, "the topic has no such ledger");
      }
      return false;
    }
    if (type == AckType.Cumulative && taker.subType() != SubType.Exclusive) {
      refuse(id, taker, "it is cumulative, and the consumer's subscription type is Shared");
      return false;
    }
    AckResult result;
    if (id.getAckSetsCount() > 0) {
      result = takePart(id, ordinal, type, taker);
    } else if (type == AckType.Cumulative) {
      result = taker.position().ackCumulative(ordinal);
    } else {
      result = taker.position().ackIndividual(ordinal);
    }
    if (result == AckResult.NOT_SENT) {
      refuse(id, taker, "it was never sent to the consumer");
    }
    return result == AckResult.ADVANCED || result == AckResult.PART;
  }

  /**
   * Whether everything before a ledger is acknowledged: without index acknowledgements, clients
   * name the entry before a batch of which they acknowledge a part cumulatively, which is entry -1
   * where the batch is the first of its ledger.
   */
  private boolean isBeforeLedger(MessageIdData id, AckType type) {
    return type == AckType.Cumulative
        && id.getEntryId() == -1
        && id.getAckSetsCount() == 0
        && index.hasLedger(id.getLedgerId());
  }

  /**
   * Takes an acknowledgement of single messages of a batch. As on other subscriptions it counts
   * where the broker enables it; of a cumulative one what is before the batch counts in any case.
   */
  private AckResult takePart(MessageIdData id, long ordinal, AckType type, Taker taker) {
    AckResult before =
        type == AckType.Cumulative
            ? taker.position().ackCumulative(ordinal - 1)
            : AckResult.UNCHANGED;
    if (before == AckResult.NOT_SENT || !broker.isAcknowledgmentAtBatchIndexLevelEnabled()) {
      return before;
    }
    long[] remaining = remaining(id);
    if (remaining == null) {
      refuse(
          id,
          taker,
          "it names a batch of more than " + MAX_ACK_SET_WORDS * Long.SIZE + " messages");
      return before;
    }
    AckResult part = taker.position().ackPart(ordinal, remaining);
    if (part == AckResult.TOO_MANY_PARTS) {
      refuse(id, taker, "parts of too many batches ahead of its position are acknowledged already");
      return before;
    }
    return part == AckResult.UNCHANGED ? before : part;
  }

  /**
   * The messages of a batch that are not acknowledged, as {@link VirtualCursor#ackPart} takes them.
   *
   * @return null where the broker does not count single messages, the id does not name any, or it
   *     names more than a batch may have
   */
  long[] remaining(MessageIdData id) {
    int words = id.getAckSetsCount();
    if (words == 0
        || words > MAX_ACK_SET_WORDS
        || !broker.isAcknowledgmentAtBatchIndexLevelEnabled()) {
      return null;
    }
    long[] remaining = new long[words];
    for (int i = 0; i < words; i++) {
      remaining[i] = id.getAckSetAt(i);
    }
    return remaining;
  }

  private static void refuse(MessageIdData id, Taker taker, String reason) {
    taker.refuse(id.getLedgerId(), id.getEntryId(), reason);
  }
}
