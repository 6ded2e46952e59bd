/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

/**
 * What dispatch asks of, and tells, the consumer that a {@link FanoutConsumer} belongs to. Called
 * on the connection's event loop.
 */
public interface ConsumerOwner {

  /** What entry filters say of an entry (PIP-105). */
  enum Verdict {
    /** It is sent. */
    ACCEPT,
    /** It is not sent, and counts as acknowledged. */
    REJECT,
    /** It is not sent now, and asked for again later. */
    RESCHEDULE
  }

  /** The entry filters of a subscription; called on the event loop of each of its connections. */
  interface Filters {

    /** What they say of an entry that a consumer would be sent next. */
    Verdict test(ConsumerOwner consumer, BroadcastEntry entry);
  }

  /** The consumer has passed an entry that it was not sent. */
  void filtered(BroadcastEntry entry, Verdict verdict);

  /**
   * The wall-clock time before which an entry is not to be delivered (delayed delivery), or 0.
   * Asked for the unordered contract only.
   */
  long deliverAtMillis(BroadcastEntry entry);

  /**
   * How many entries the consumer may have that it has not acknowledged; 0: any number. Asked for
   * the unordered contract only.
   */
  int maxUnacknowledgedEntries();

  /** The connection is gone: closes the consumer. */
  void close();
}
