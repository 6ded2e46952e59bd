/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import java.util.List;

/**
 * The batch of entries that one connection's consumers behind are being given: asked for, then
 * held, then gone. Confined to the connection's thread.
 */
final class CatchUpBatch {

  private final BroadcastDispatcher dispatcher;
  private List<BroadcastEntry> entries;
  private int current;
  private boolean requested;

  CatchUpBatch(BroadcastDispatcher dispatcher) {
    this.dispatcher = dispatcher;
  }

  /** Whether there is a batch. */
  boolean isHeld() {
    return entries != null;
  }

  /** Whether there is neither a batch nor a request for one. */
  boolean isAbsent() {
    return entries == null && !requested;
  }

  /** Asks the dispatcher for a batch from the place of a consumer. */
  void request(ConnectionFanout connection, FanoutConsumer consumer) {
    requested = true;
    dispatcher.requestCatchUp(connection, consumer.wanted(), consumer.wantedEnd());
  }

  /** The request came to nothing. */
  void forgetRequest() {
    requested = false;
  }

  /** The batch has come, with one reference to each entry. */
  void hold(List<BroadcastEntry> batch) {
    requested = false;
    entries = batch;
    current = 0;
  }

  /** Whether an entry of the batch is left. */
  boolean hasEntry() {
    return current < entries.size();
  }

  /** The entry to send now. */
  BroadcastEntry entry() {
    return entries.get(current);
  }

  /** Everybody whom the entry fits has it. */
  void nextEntry() {
    current++;
  }

  /** Gives up the batch, if there is one. */
  void release() {
    if (entries != null) {
      entries.forEach(BroadcastEntry::release);
      dispatcher.released(entries);
      entries = null;
    }
  }
}
