/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

/**
 * How much a subscription may send: the broker's dispatch rate limits. May be called from any
 * thread.
 */
public interface DispatchQuota {

  /** No limit. */
  DispatchQuota UNLIMITED =
      new DispatchQuota() {
        @Override
        public Share toRead(boolean atTail) {
          return Share.ALL;
        }

        @Override
        public void sent(boolean atTail, long entries, long messages, long bytes) {
          // Nothing is counted.
        }
      };

  /**
   * What may be read now.
   *
   * @param atTail whether for consumers at the tail, or behind
   */
  Share toRead(boolean atTail);

  /** Counts what was sent: each delivery, to each consumer. */
  void sent(boolean atTail, long entries, long messages, long bytes);

  /**
   * A bound of one read; {@link #NOTHING}: ask again later.
   *
   * @param entries at most
   * @param bytes about at most; one entry is read in any case
   */
  record Share(int entries, long bytes) {
    public static final Share ALL = new Share(Integer.MAX_VALUE, Long.MAX_VALUE);
    public static final Share NOTHING = new Share(0, 0);
  }
}
