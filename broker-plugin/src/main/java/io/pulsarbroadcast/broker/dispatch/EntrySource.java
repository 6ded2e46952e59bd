/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import java.util.List;

/**
 * Where a Broadcast subscription reads its topic. Called from the subscription's dispatch thread;
 * answers on any thread.
 */
public interface EntrySource {

  /**
   * Reads on at the tail, waiting for an entry to be published when there is none. One at a time.
   *
   * @param max a bound beside the source's own
   */
  void readTail(DispatchQuota.Share max, ReadCallback callback);

  /**
   * Takes back a read at the tail that waits for an entry; it is not answered then.
   *
   * @return false when none waits: it is being answered, or there is none
   */
  boolean cancelTail();

  /**
   * The topic's tail has been moved on to {@code ordinal}, which is after all that was read there:
   * {@link #readTail} goes on from there, also one that waits. What is before it is left to {@link
   * #readBehind}.
   */
  void skipTail(long ordinal);

  /**
   * Goes on at the tail at {@code ordinal}, which is after all that was read there. Not while a
   * read there is under way.
   */
  void leapTail(long ordinal);

  /**
   * Reads entries again, from {@code from} and before {@code to}, from the broker's cache or from
   * BookKeeper; at most one bounded batch. One at a time. Answers with no entries, and {@code from}
   * again, where consumers may not be given anything yet: a transaction is open there.
   *
   * @param max a bound beside the source's own
   */
  void readBehind(long from, long to, DispatchQuota.Share max, ReadCallback callback);

  /** Gives up what it holds open. */
  void close();

  /** Takes the result of a read. */
  interface ReadCallback {
    /**
     * @param entries in topic order, together standing for every ordinal from where the read began
     *     to {@code next}; at the tail perhaps from a later one on, what is before it being left to
     *     {@link #readBehind}. The callee takes over one reference to each
     * @param next the ordinal after the last one read
     */
    void entriesRead(List<BroadcastEntry> entries, long next);

    /** The read failed. {@code retry} says whether a later one may work. */
    void readFailed(Throwable cause, boolean retry);
  }
}
