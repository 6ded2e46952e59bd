/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one reader of a Broadcast subscription: reads the tail once for everybody and hands each
 * connection one task per batch; reads batches for those behind, one at a time, the connections in
 * turn, each batch shared by all whom it fits.
 *
 * <p>Its state is confined to the subscription's dispatch thread, one of an ordered executor keyed
 * by topic and subscription (seed 000: order is needed per subscription, not per topic). Public
 * methods may be called from any thread.
 */
public final class BroadcastDispatcher {

  private static final Logger log = LoggerFactory.getLogger(BroadcastDispatcher.class);

  /** Tail batches that may be on their way to connections before the next is read. */
  private static final int MAX_BATCHES_UNDER_WAY = 2;

  /** When to look again after a dispatch rate limit was reached; as the broker's dispatchers. */
  private static final long QUOTA_RETRY_MILLIS = 1_000;

  private static final long RETRY_MILLIS = 100;
  private static final long MAX_RETRY_MILLIS = 10_000;

  /** Batches that nobody asked for in this time are not kept for others any longer. */
  private static final long RECENT_MILLIS = 1_000;

  /** The share of the memory for batches behind that recent ones may take besides. */
  private static final int RECENT_SHARE = 8;

  private final String name;
  private final EntrySource source;
  private final DispatchQuota quota;
  private final Executor thread;
  private final ScheduledExecutorService timer;
  private final long maxHeldBytes;
  private final SubscriptionMetrics metrics;

  private final AtomicInteger connectionsAtTail = new AtomicInteger();
  private final AtomicLong heldBytes = new AtomicLong();
  private volatile boolean closed;

  private final Set<ConnectionFanout> connections = new LinkedHashSet<>();

  /** The ordinal after the last entry handed to the connections. */
  private long tailOrdinal;

  private boolean tailReading;
  private int batchesUnderWay;
  private final Map<ConnectionFanout, CatchUpRequest> catchUpRequests = new LinkedHashMap<>();
  private boolean catchUpReading;
  private final RecentBatches recent;
  private boolean recentUsed;
  private boolean recentExpiring;
  private boolean waitingForQuota;
  private long tailRetryMillis = RETRY_MILLIS;
  private long catchUpRetryMillis = RETRY_MILLIS;

  /** As counted last. */
  private volatile int convoys;

  /**
   * @param name topic and subscription, for the log
   * @param quota how much may be sent
   * @param tailOrdinal where the source's first tail read starts
   * @param thread runs its tasks one after the other
   * @param maxHeldBytes how much memory batches may take that wait for full sockets, over all
   *     connections
   */
  public BroadcastDispatcher(
      String name,
      EntrySource source,
      DispatchQuota quota,
      long tailOrdinal,
      Executor thread,
      ScheduledExecutorService timer,
      long maxHeldBytes,
      SubscriptionMetrics metrics) {
    this.name = name;
    this.source = source;
    this.quota = quota;
    this.tailOrdinal = tailOrdinal;
    this.thread = thread;
    this.timer = timer;
    this.maxHeldBytes = maxHeldBytes;
    this.metrics = metrics;
    this.recent = new RecentBatches(maxHeldBytes / RECENT_SHARE);
  }

  /** Adds a connection. */
  public void connect(ConnectionFanout connection) {
    thread.execute(
        () -> {
          connections.add(connection);
          connection.start(tailOrdinal);
        });
  }

  /** Removes a connection; batches on their way to it are released there. */
  public void disconnect(ConnectionFanout connection) {
    thread.execute(
        () -> {
          connections.remove(connection);
          catchUpRequests.remove(connection);
        });
  }

  /** Moves every consumer that has not come so far on to {@code ordinal}. */
  public void skipTo(long ordinal) {
    thread.execute(
        () -> {
          if (ordinal > tailOrdinal) {
            tailOrdinal = ordinal;
            source.skipTail(ordinal);
          }
          connections.forEach(connection -> connection.skipTo(ordinal));
        });
  }

  /** Stops reading. */
  public void close() {
    closed = true;
    thread.execute(
        () -> {
          recent.clear();
          source.close();
        });
  }

  /** Reads again after {@link #close}. */
  public void reopen() {
    closed = false;
    thread.execute(
        () -> {
          readTail();
          readCatchUp();
        });
  }

  /**
   * How many groups of consumers behind there are that one read each serves, as counted after the
   * call before; counts again.
   */
  public int convoys() {
    thread.execute(() -> convoys = new HashSet<>(catchUpRequests.values()).size());
    return convoys;
  }

  SubscriptionMetrics metrics() {
    return metrics;
  }

  /** A connection has consumers at the tail, or has none any more. */
  void atTail(boolean any) {
    if (any) {
      connectionsAtTail.incrementAndGet();
      thread.execute(this::readTail);
    } else {
      connectionsAtTail.decrementAndGet();
    }
  }

  /** A connection has a consumer that needs entries from {@code from} on, and before {@code to}. */
  void requestCatchUp(ConnectionFanout connection, long from, long to) {
    thread.execute(
        () -> {
          if (connections.contains(connection)) {
            catchUpRequests.put(connection, new CatchUpRequest(from, to));
            shareRecent(from);
            readCatchUp();
          }
        });
  }

  /** A connection has sent something. */
  void sent(boolean atTail, long entries, long messages, long bytes) {
    quota.sent(atTail, entries, messages, bytes);
  }

  /** Whether a catch-up batch may stay in memory until a full socket takes it. */
  boolean mayHold() {
    return heldBytes.get() <= maxHeldBytes;
  }

  /** A connection is done with a catch-up batch. */
  void released(List<BroadcastEntry> batch) {
    heldBytes.addAndGet(-sizeBytes(batch));
  }

  private void readTail() {
    if (closed
        || tailReading
        || batchesUnderWay >= MAX_BATCHES_UNDER_WAY
        || connectionsAtTail.get() == 0) {
      return;
    }
    DispatchQuota.Share share = quota.toRead(true);
    if (share == DispatchQuota.Share.NOTHING) {
      waitForQuota();
      return;
    }
    tailReading = true;
    source.readTail(
        share,
        new EntrySource.ReadCallback() {
          @Override
          public void entriesRead(List<BroadcastEntry> entries, long next) {
            thread.execute(
                () -> {
                  tailReading = false;
                  tailRetryMillis = RETRY_MILLIS;
                  broadcast(entries, next);
                  readTail();
                });
          }

          @Override
          public void readFailed(Throwable cause, boolean retry) {
            thread.execute(
                () -> {
                  tailReading = false;
                  if (mayRetry(cause, retry)) {
                    retryLater(cause, tailRetryMillis, BroadcastDispatcher.this::readTail);
                    tailRetryMillis = nextRetryMillis(tailRetryMillis);
                  }
                });
          }
        });
  }

  private void broadcast(List<BroadcastEntry> entries, long next) {
    tailOrdinal = Math.max(tailOrdinal, next);
    metrics.tailRead(entries.size());
    entries.forEach(BroadcastEntry::handedOver);
    if (!entries.isEmpty() && !connections.isEmpty()) {
      batchesUnderWay++;
      AtomicInteger notTaken = new AtomicInteger(connections.size());
      Runnable taken =
          () -> {
            if (notTaken.decrementAndGet() == 0) {
              thread.execute(
                  () -> {
                    batchesUnderWay--;
                    readTail();
                  });
            }
          };
      for (ConnectionFanout connection : connections) {
        entries.forEach(BroadcastEntry::retain);
        connection.offerTail(entries, next, taken);
      }
    }
    entries.forEach(BroadcastEntry::release);
  }

  private void readCatchUp() {
    if (closed || catchUpReading || catchUpRequests.isEmpty()) {
      return;
    }
    DispatchQuota.Share share = quota.toRead(false);
    if (share == DispatchQuota.Share.NOTHING) {
      waitForQuota();
      return;
    }
    catchUpReading = true;
    CatchUpRequest request = catchUpRequests.values().iterator().next();
    long from = request.from;
    source.readBehind(
        from,
        Math.min(request.to, tailOrdinal),
        share,
        new EntrySource.ReadCallback() {
          @Override
          public void entriesRead(List<BroadcastEntry> entries, long next) {
            thread.execute(
                () -> {
                  catchUpReading = false;
                  catchUpRetryMillis = RETRY_MILLIS;
                  metrics.catchUpRead(entries.size(), sizeBytes(entries));
                  keepRecent(entries, from, next);
                  share(entries, from, next);
                  readCatchUp();
                });
          }

          @Override
          public void readFailed(Throwable cause, boolean retry) {
            thread.execute(
                () -> {
                  catchUpReading = false;
                  if (mayRetry(cause, retry)) {
                    putOff(from, cause);
                    readCatchUp();
                  }
                });
          }
        });
  }

  /**
   * A place cannot be read: whoever asked for it asks again later, perhaps for another consumer,
   * and holds nobody back until then.
   */
  private void putOff(long from, Throwable cause) {
    List<ConnectionFanout> putOff = new ArrayList<>();
    catchUpRequests.forEach(
        (connection, request) -> {
          if (request.from == from) {
            putOff.add(connection);
          }
        });
    putOff.forEach(catchUpRequests::remove);
    retryLater(cause, catchUpRetryMillis, () -> putOff.forEach(ConnectionFanout::askAgain));
    catchUpRetryMillis = nextRetryMillis(catchUpRetryMillis);
  }

  /** Gives a batch to every connection that asked for a place in it. */
  private void share(List<BroadcastEntry> entries, long from, long next) {
    Iterator<Map.Entry<ConnectionFanout, CatchUpRequest>> requests =
        catchUpRequests.entrySet().iterator();
    while (requests.hasNext()) {
      Map.Entry<ConnectionFanout, CatchUpRequest> request = requests.next();
      if (request.getValue().from >= from && request.getValue().from < next) {
        requests.remove();
        entries.forEach(BroadcastEntry::retain);
        heldBytes.addAndGet(sizeBytes(entries));
        request.getKey().offerCatchUp(entries);
      }
    }
    entries.forEach(BroadcastEntry::release);
  }

  /** Answers a request from a batch that another connection was given a moment ago. */
  private void shareRecent(long from) {
    RecentBatches.Batch batch = closed ? null : recent.find(from);
    if (batch != null && !DispatchQuota.Share.NOTHING.equals(quota.toRead(false))) {
      recentUsed = true;
      batch.entries().forEach(BroadcastEntry::retain);
      share(batch.entries(), batch.from(), batch.next());
    }
  }

  private void keepRecent(List<BroadcastEntry> entries, long from, long next) {
    if (closed || connections.size() < 2) {
      return;
    }
    recent.add(entries, from, next, sizeBytes(entries));
    recentUsed = true;
    if (!recentExpiring && !recent.isEmpty()) {
      recentExpiring = true;
      expireRecentLater();
    }
  }

  private void expireRecentLater() {
    timer.schedule(() -> thread.execute(this::expireRecent), RECENT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void expireRecent() {
    if (recentUsed && !closed) {
      recentUsed = false;
      expireRecentLater();
    } else {
      recentExpiring = false;
      recent.clear();
    }
  }

  private void waitForQuota() {
    if (!waitingForQuota) {
      waitingForQuota = true;
      timer.schedule(
          () ->
              thread.execute(
                  () -> {
                    waitingForQuota = false;
                    readTail();
                    readCatchUp();
                  }),
          QUOTA_RETRY_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }

  private boolean mayRetry(Throwable cause, boolean retry) {
    if (!retry) {
      log.debug("{} Reading ended", name, cause);
    }
    return retry && !closed;
  }

  private void retryLater(Throwable cause, long delayMillis, Runnable read) {
    metrics.readFailed();
    log.warn("{} Reading failed, trying again in {} ms: {}", name, delayMillis, cause.toString());
    timer.schedule(() -> thread.execute(read), delayMillis, TimeUnit.MILLISECONDS);
  }

  private static long nextRetryMillis(long millis) {
    return Math.min(millis * 2, MAX_RETRY_MILLIS);
  }

  private static long sizeBytes(List<BroadcastEntry> batch) {
    long bytes = 0;
    for (BroadcastEntry entry : batch) {
      bytes += entry.sizeBytes();
    }
    return bytes;
  }

  /** A place that some consumer of a connection is to be sent from, and where it needs no more. */
  private record CatchUpRequest(long from, long to) {}
}
