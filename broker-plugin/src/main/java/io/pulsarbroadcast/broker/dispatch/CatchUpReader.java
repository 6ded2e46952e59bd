/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Reads for the consumers of a subscription that are behind its tail: one batch at a time, the
 * connections in turn, each batch shared by all whom it fits.
 *
 * <p>Confined to the dispatcher's thread, but for methods that say otherwise.
 */
final class CatchUpReader {

  /** Batches that nobody asked for in this time are not kept for others any longer. */
  private static final long RECENT_MILLIS = 1_000;

  /** How often to look whether a place can be read that a transaction keeps from being read. */
  private static final long NOT_YET_MILLIS = 100;

  /** The share of the memory for batches that recent ones may take besides. */
  private static final int RECENT_SHARE = 2;

  private final BroadcastDispatcher dispatcher;
  private final EntrySource source;
  private final DispatchQuota quota;
  private final long maxHeldBytes;
  private final AtomicLong heldBytes = new AtomicLong();
  private final Map<ConnectionFanout, Request> requests = new LinkedHashMap<>();
  private boolean reading;
  private long retryMillis = BroadcastDispatcher.RETRY_MILLIS;

  private final RecentBatches recent;
  private boolean recentUsed;
  private boolean recentExpiring;

  /** As counted last. */
  private volatile int convoys;

  /** A place that some consumer of a connection is to be sent from, and where it needs no more. */
  private record Request(long from, long to) {}

  /**
   * @param maxHeldBytes how much memory batches may take that wait for full sockets, over all
   *     connections
   */
  CatchUpReader(
      BroadcastDispatcher dispatcher, EntrySource source, DispatchQuota quota, long maxHeldBytes) {
    this.dispatcher = dispatcher;
    this.source = source;
    this.quota = quota;
    this.maxHeldBytes = maxHeldBytes;
    this.recent = new RecentBatches(maxHeldBytes / RECENT_SHARE);
  }

  /** A connection has a consumer that needs entries from {@code from} on, and before {@code to}. */
  void request(ConnectionFanout connection, long from, long to) {
    requests.put(connection, new Request(from, to));
    shareRecent(from);
    read();
  }

  /** A connection is gone. */
  void remove(ConnectionFanout connection) {
    requests.remove(connection);
  }

  /** Gives up what is kept for others; requests stay for when the dispatcher is opened again. */
  void close() {
    recent.clear();
  }

  /** Groups the requests by place, for {@link #convoys}. */
  void countConvoys() {
    convoys = new HashSet<>(requests.values()).size();
  }

  /** How many groups there are that one read each serves, as counted last. From any thread. */
  int convoys() {
    return convoys;
  }

  /** Whether a batch may stay in memory until a full socket takes it. From any thread. */
  boolean mayHold() {
    return heldBytes.get() <= maxHeldBytes;
  }

  /** A connection is done with a batch. From any thread. */
  void released(List<BroadcastEntry> batch) {
    heldBytes.addAndGet(-sizeBytes(batch));
  }

  /** Reads for the connection whose turn it is, if none is being read for. */
  void read() {
    if (dispatcher.isClosed() || reading || requests.isEmpty()) {
      return;
    }
    DispatchQuota.Share share = quota.toRead(false);
    if (share == DispatchQuota.Share.NOTHING) {
      dispatcher.waitForQuota();
      return;
    }
    reading = true;
    int begun = dispatcher.reopenings();
    Request request = requests.values().iterator().next();
    long from = request.from;
    EntrySource.ReadCallback callback =
        new EntrySource.ReadCallback() {
          @Override
          public void entriesRead(List<BroadcastEntry> entries, long next) {
            dispatcher.execute(() -> taken(entries, from, next));
          }

          @Override
          public void readFailed(Throwable cause, boolean retry) {
            dispatcher.execute(() -> failed(cause, retry, begun, from));
          }
        };
    try {
      source.readBehind(from, Math.min(request.to, dispatcher.tailOrdinal()), share, callback);
    } catch (RuntimeException e) {
      // As at the tail.
      callback.readFailed(e, true);
    }
  }

  private void taken(List<BroadcastEntry> entries, long from, long next) {
    reading = false;
    retryMillis = BroadcastDispatcher.RETRY_MILLIS;
    if (next == from) {
      notYet(from);
      read();
      return;
    }
    dispatcher.metrics().catchUpRead(entries.size(), sizeBytes(entries));
    keepRecent(entries, from, next);
    share(entries, from, next);
    read();
  }

  private void failed(Throwable cause, boolean retry, int begun, long from) {
    reading = false;
    if (dispatcher.mayRetry(cause, retry, begun)) {
      List<ConnectionFanout> putOff = putOff(request -> request.from == from);
      dispatcher.retryLater(cause, retryMillis, () -> putOff.forEach(ConnectionFanout::askAgain));
      retryMillis = BroadcastDispatcher.nextRetryMillis(retryMillis);
      read();
    }
  }

  /**
   * Nothing from a place on may be read yet. Each connection that waits for some of it asks for a
   * consumer before that, if it has one, and otherwise again later.
   */
  private void notYet(long from) {
    for (ConnectionFanout connection : putOff(request -> request.from >= from)) {
      connection.askBefore(
          from, () -> dispatcher.executeLater(NOT_YET_MILLIS, connection::askAgain));
    }
  }

  /**
   * A place cannot be read: whoever asked for it asks again later, perhaps for another consumer,
   * and holds nobody back until then (I8).
   */
  private List<ConnectionFanout> putOff(Predicate<Request> which) {
    List<ConnectionFanout> putOff = new ArrayList<>();
    requests.forEach(
        (connection, request) -> {
          if (which.test(request)) {
            putOff.add(connection);
          }
        });
    putOff.forEach(requests::remove);
    return putOff;
  }

  /** Gives a batch to every connection that asked for a place in it. */
  private void share(List<BroadcastEntry> entries, long from, long next) {
    Iterator<Map.Entry<ConnectionFanout, Request>> all = requests.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<ConnectionFanout, Request> request = all.next();
      if (request.getValue().from >= from && request.getValue().from < next) {
        all.remove();
        entries.forEach(BroadcastEntry::retain);
        heldBytes.addAndGet(sizeBytes(entries));
        request.getKey().offerCatchUp(entries);
      }
    }
    entries.forEach(BroadcastEntry::release);
  }

  /** Answers a request from a batch that another connection was given a moment ago. */
  private void shareRecent(long from) {
    RecentBatches.Batch batch = dispatcher.isClosed() ? null : recent.find(from);
    if (batch != null && quota.toRead(false) != DispatchQuota.Share.NOTHING) {
      recentUsed = true;
      batch.entries().forEach(BroadcastEntry::retain);
      share(batch.entries(), batch.from(), batch.next());
    }
  }

  private void keepRecent(List<BroadcastEntry> entries, long from, long next) {
    if (dispatcher.isClosed() || dispatcher.connections() < 2) {
      return;
    }
    recent.add(entries, from, next, sizeBytes(entries));
    recentUsed = true;
    if (!recentExpiring && !recent.isEmpty()) {
      recentExpiring = true;
      dispatcher.executeLater(RECENT_MILLIS, this::expireRecent);
    }
  }

  private void expireRecent() {
    if (recentUsed && !dispatcher.isClosed()) {
      recentUsed = false;
      dispatcher.executeLater(RECENT_MILLIS, this::expireRecent);
    } else {
      recentExpiring = false;
      recent.clear();
    }
  }

  private static long sizeBytes(List<BroadcastEntry> batch) {
    long bytes = 0;
    for (BroadcastEntry entry : batch) {
      bytes += entry.sizeBytes();
    }
    return bytes;
  }
}
