/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import io.pulsarbroadcast.broker.metrics.EntryTrace;
import org.apache.pulsar.common.api.proto.MessageMetadata;

/**
 * One entry on its way to consumers, shared by all of them: read once, retained once per
 * connection, its bytes never copied before the socket when large.
 *
 * <p>It stands for the ordinals {@link #from()} to {@link #ordinal()}: those before {@code ordinal}
 * are entries that nobody is given. An entry without bytes ({@link #isDelivered()} false) only
 * moves consumers past such entries.
 *
 * <p>Immutable; the reference count may be changed from any thread.
 */
public final class BroadcastEntry extends AbstractReferenceCounted {

  private final long from;
  private final long ordinal;
  private final long ledgerId;
  private final long entryId;
  private final int messages;
  private final MessageMetadata metadata;
  private final ByteBuf data;
  private final EntryTrace trace;

  /**
   * An entry whose way is not timed.
   *
   * @param from the first ordinal this entry stands for
   * @param ordinal its own ordinal
   * @param messages how many messages the entry holds (a batch holds several); what it costs in
   *     permits
   * @param metadata as in {@code data}, read once
   * @param data broker metadata if any, metadata and payload, as stored; this object takes over one
   *     reference
   */
  public BroadcastEntry(
      long from,
      long ordinal,
      long ledgerId,
      long entryId,
      int messages,
      MessageMetadata metadata,
      ByteBuf data) {
    this(from, ordinal, ledgerId, entryId, messages, metadata, data, null);
  }

  /**
   * An entry whose way is timed.
   *
   * @param trace times its way, or null
   */
  public BroadcastEntry(
      long from,
      long ordinal,
      long ledgerId,
      long entryId,
      int messages,
      MessageMetadata metadata,
      ByteBuf data,
      EntryTrace trace) {
    this.from = from;
    this.ordinal = ordinal;
    this.ledgerId = ledgerId;
    this.entryId = entryId;
    this.messages = messages;
    this.metadata = metadata;
    this.data = data;
    this.trace = trace;
  }

  /**
   * An entry that moves consumers past the ordinals {@code from} to {@code last} and gives them
   * nothing.
   */
  public static BroadcastEntry skipping(long from, long last) {
    return new BroadcastEntry(from, last, -1, -1, 0, null, null);
  }

  public long from() {
    return from;
  }

  public long ordinal() {
    return ordinal;
  }

  public long ledgerId() {
    return ledgerId;
  }

  public long entryId() {
    return entryId;
  }

  public int messages() {
    return messages;
  }

  /** Whether there is anything to send. */
  public boolean isDelivered() {
    return data != null;
  }

  public MessageMetadata metadata() {
    return metadata;
  }

  /** The stored bytes; do not move its indices: duplicate it. */
  public ByteBuf data() {
    return data;
  }

  /** Bytes of memory that holding this entry costs. */
  int sizeBytes() {
    return data == null ? 0 : data.readableBytes();
  }

  /** The dispatcher is about to give this entry to the connections. */
  void handedOver() {
    if (trace != null) {
      trace.handedOver();
    }
  }

  /** A connection begins to write frames of this entry. */
  void written() {
    if (trace != null) {
      trace.written();
    }
  }

  /** Whether a consumer that wants {@code next} takes this entry now. */
  boolean isNextFor(long next) {
    return from <= next && next <= ordinal;
  }

  @Override
  public BroadcastEntry retain() {
    super.retain();
    return this;
  }

  @Override
  protected void deallocate() {
    if (trace != null) {
      trace.done();
    }
    if (data != null) {
      data.release();
    }
  }

  @Override
  public ReferenceCounted touch(Object hint) {
    return this;
  }
}
