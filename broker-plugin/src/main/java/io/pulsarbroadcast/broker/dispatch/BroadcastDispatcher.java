/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one reader of a Broadcast subscription: reads the tail once for everybody and hands each
 * connection one task per batch. A {@link CatchUpReader} serves those behind.
 *
 * <p>Its state is confined to the subscription's dispatch thread, one of an ordered executor keyed
 * by topic and subscription (seed 000: order is needed per subscription, not per topic). Public
 * methods may be called from any thread.
 */
public final class BroadcastDispatcher {

  private static final Logger log = LoggerFactory.getLogger(BroadcastDispatcher.class);

  /** Tail batches that may be on their way to connections before the next is read. */
  private static final int MAX_BATCHES_UNDER_WAY = 2;

  /**
   * How far ahead of the tail reader a consumer waits for it to come; one that is further ahead, on
   * a topic that has a backlog, takes it along.
   */
  private static final long LEAP_ENTRIES = 1_000;

  private static final long MAX_DELAYED_DELIVERIES = 1_000_000;
  private static final int DELAYED_DELIVERIES_OF_EACH = 16;

  /** When to look again after a dispatch rate limit was reached; as the broker's dispatchers. */
  private static final long QUOTA_RETRY_MILLIS = 1_000;

  /** How long to wait after a first failed read; after the next ones twice as long each. */
  static final long RETRY_MILLIS = 100;

  private static final long MAX_RETRY_MILLIS = 10_000;

  private final String name;
  private final EntrySource source;
  private final DispatchQuota quota;
  private final Executor thread;
  private final ScheduledExecutorService timer;
  private final SubscriptionMetrics metrics;

  /** About a hundred bytes each. */
  private final DelayedDeliveries.Room delayedRoom =
      new DelayedDeliveries.Room(MAX_DELAYED_DELIVERIES, DELAYED_DELIVERIES_OF_EACH);

  private final AtomicInteger connectionsAtTail = new AtomicInteger();
  private volatile boolean closed;

  private final Set<ConnectionFanout> connections = new LinkedHashSet<>();

  /** The ordinal after the last entry handed to the connections. Written on the thread. */
  private volatile long tailOrdinal;

  /** The furthest that a consumer wants the tail reader to leap to. Set from any thread. */
  private final AtomicLong leapTo = new AtomicLong();

  private final long leapEntries;
  private boolean tailReading;

  /** How often reading was begun anew; what ended a read of before does not end those after. */
  private int reopenings;

  private int batchesUnderWay;
  private boolean waitingForQuota;
  private long tailRetryMillis = RETRY_MILLIS;
  private final CatchUpReader behind;

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
    this(name, source, quota, tailOrdinal, thread, timer, maxHeldBytes, metrics, LEAP_ENTRIES);
  }

  BroadcastDispatcher(
      String name,
      EntrySource source,
      DispatchQuota quota,
      long tailOrdinal,
      Executor thread,
      ScheduledExecutorService timer,
      long maxHeldBytes,
      SubscriptionMetrics metrics,
      long leapEntries) {
    this.name = name;
    this.source = source;
    this.quota = quota;
    this.tailOrdinal = tailOrdinal;
    this.thread = thread;
    this.timer = timer;
    this.metrics = metrics;
    this.leapEntries = leapEntries;
    this.behind = new CatchUpReader(this, source, quota, maxHeldBytes);
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
          behind.remove(connection);
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

  /**
   * The subscription has moved to {@code ordinal}, and the tail reader with it, who perhaps had not
   * come so far: whoever still needs what is before, which no durable consumer does, is behind.
   */
  public void passed(long ordinal) {
    if (ordinal > tailOrdinal) {
      thread.execute(
          () -> {
            if (ordinal > tailOrdinal) {
              source.skipTail(ordinal);
              tailGoesOnAt(ordinal);
            }
          });
    }
  }

  /**
   * Stops reading.
   *
   * @return completed when no read is begun any more and none waits; one may still be under way
   */
  public CompletableFuture<Void> close() {
    closed = true;
    return CompletableFuture.runAsync(
        () -> {
          if (tailReading && source.cancelTail()) {
            tailReading = false;
          }
          behind.close();
          source.close();
        },
        thread);
  }

  /** Reads again after {@link #close}. */
  public void reopen() {
    closed = false;
    thread.execute(
        () -> {
          reopenings++;
          readTail();
          behind.read();
        });
  }

  /**
   * How many groups of consumers behind there are that one read each serves, as counted after the
   * call before; counts again.
   */
  public int convoys() {
    thread.execute(behind::countConvoys);
    return behind.convoys();
  }

  DelayedDeliveries.Room delayedRoom() {
    return delayedRoom;
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

  /**
   * A consumer goes on at {@code ordinal}. When that is too far ahead to wait for the tail reader,
   * it leaps there, and what is in between is left to the reader for those behind: whoever wants it
   * does not hold up the tail (I8).
   *
   * @param tail how far the tail reader has come, as the caller knows
   */
  void wantTailAt(long ordinal, long tail) {
    if (isFarAhead(ordinal, tail) && isFarAhead(ordinal, leapTo.get())) {
      leapTo.accumulateAndGet(ordinal, Math::max);
      thread.execute(this::readTail);
    }
  }

  /** A connection has a consumer that needs entries from {@code from} on, and before {@code to}. */
  void requestCatchUp(ConnectionFanout connection, long from, long to) {
    thread.execute(
        () -> {
          if (connections.contains(connection)) {
            behind.request(connection, from, to);
          }
        });
  }

  /** A connection has sent something. */
  void sent(boolean atTail, long entries, long messages, long bytes) {
    quota.sent(atTail, entries, messages, bytes);
  }

  /** Whether a catch-up batch may stay in memory until a full socket takes it. */
  boolean mayHold() {
    return behind.mayHold();
  }

  /** A connection is done with a catch-up batch. */
  void released(List<BroadcastEntry> batch) {
    behind.released(batch);
  }

  private void readTail() {
    if (closed
        || tailReading
        || batchesUnderWay >= MAX_BATCHES_UNDER_WAY
        || connectionsAtTail.get() == 0) {
      return;
    }
    leapIfWanted();
    DispatchQuota.Share share = quota.toRead(true);
    if (share == DispatchQuota.Share.NOTHING) {
      waitForQuota();
      return;
    }
    tailReading = true;
    int begun = reopenings;
    EntrySource.ReadCallback callback =
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
                  if (mayRetry(cause, retry, begun)) {
                    retryLater(cause, tailRetryMillis, BroadcastDispatcher.this::readTail);
                    tailRetryMillis = nextRetryMillis(tailRetryMillis);
                  }
                });
          }
        };
    try {
      source.readTail(share, callback);
    } catch (RuntimeException e) {
      // A fault of the broker's, where it should have answered; without an answer nobody goes on.
      callback.readFailed(e, true);
    }
  }

  private void leapIfWanted() {
    long ordinal = leapTo.get();
    if (isFarAhead(ordinal, tailOrdinal)) {
      source.leapTail(ordinal);
      tailGoesOnAt(ordinal);
    }
  }

  private void tailGoesOnAt(long ordinal) {
    tailOrdinal = ordinal;
    connections.forEach(connection -> connection.tailLeapt(ordinal));
  }

  private boolean isFarAhead(long ordinal, long tail) {
    return ordinal - tail > leapEntries;
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

  // What the reader for those behind shares with that of the tail; on the dispatch thread.

  boolean isClosed() {
    return closed;
  }

  long tailOrdinal() {
    return tailOrdinal;
  }

  int connections() {
    return connections.size();
  }

  void execute(Runnable task) {
    thread.execute(task);
  }

  void executeLater(long delayMillis, Runnable task) {
    timer.schedule(() -> thread.execute(task), delayMillis, TimeUnit.MILLISECONDS);
  }

  /** Reads again, also for those behind, when a dispatch rate limit may allow it. */
  void waitForQuota() {
    if (!waitingForQuota) {
      waitingForQuota = true;
      executeLater(
          QUOTA_RETRY_MILLIS,
          () -> {
            waitingForQuota = false;
            readTail();
            behind.read();
          });
    }
  }

  /** To be handed to {@link #mayRetry} when a read that begins now has failed. */
  int reopenings() {
    return reopenings;
  }

  /**
   * Whether to try a read again that has failed.
   *
   * @param retry whether the source says so; a read that closing has ended is tried again when the
   *     dispatcher was opened again meanwhile
   * @param begun {@link #reopenings} when the read began
   */
  boolean mayRetry(Throwable cause, boolean retry, int begun) {
    boolean again = retry || begun != reopenings;
    if (!again) {
      log.debug("{} Reading ended", name, cause);
    }
    return again && !closed;
  }

  void retryLater(Throwable cause, long delayMillis, Runnable read) {
    metrics.readFailed();
    log.warn("{} Reading failed, trying again in {} ms: {}", name, delayMillis, cause.toString());
    executeLater(delayMillis, read);
  }

  static long nextRetryMillis(long millis) {
    return Math.min(millis * 2, MAX_RETRY_MILLIS);
  }
}
