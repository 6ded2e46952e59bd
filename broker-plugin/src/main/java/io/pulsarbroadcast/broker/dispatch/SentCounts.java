/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

/**
 * What a connection has sent since it last reported: the dispatch rate limits and the metrics are
 * told once per pass over its consumers. Confined to the connection's event loop.
 */
final class SentCounts {

  private final BroadcastDispatcher dispatcher;
  private final boolean atTail;
  private long entries;
  private long messages;
  private long bytes;
  private long messagesAgain;

  SentCounts(BroadcastDispatcher dispatcher, boolean atTail) {
    this.dispatcher = dispatcher;
    this.atTail = atTail;
  }

  /**
   * Counts an entry that one consumer was sent.
   *
   * @param again whether it had been sent it before
   */
  void add(int entryMessages, int entryBytes, boolean again) {
    entries++;
    messages += entryMessages;
    bytes += entryBytes;
    if (again) {
      messagesAgain += entryMessages;
    }
  }

  void report() {
    if (entries > 0) {
      dispatcher.sent(atTail, entries, messages, bytes);
      dispatcher.metrics().delivered(messages, bytes, messagesAgain);
      entries = 0;
      messages = 0;
      bytes = 0;
      messagesAgain = 0;
    }
  }
}
