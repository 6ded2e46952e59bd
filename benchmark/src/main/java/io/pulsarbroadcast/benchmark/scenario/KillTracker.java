/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Notes when each consumer acknowledged each message, and finds what comes again after a kill
 * although it was acknowledged before. The fleet's event loops write; one other thread may call the
 * rest.
 */
final class KillTracker extends ConsumerLog {
  /** One kill and what came again after it. Guarded by itself. */
  static final class Kill {
    final int atMillis;
    final long acknowledgedInWindow;
    private long redelivered;
    private long tooOld;
    private int oldestMillis;
    private String oldest = "";
    private final int[] perConsumer;

    private Kill(int atMillis, long acknowledgedInWindow, int consumers) {
      this.atMillis = atMillis;
      this.acknowledgedInWindow = acknowledgedInWindow;
      this.perConsumer = new int[consumers];
    }

    private synchronized void add(int consumer, int ageMillis, int limitMillis, String what) {
      redelivered++;
      perConsumer[consumer]++;
      if (ageMillis > limitMillis) {
        tooOld++;
      }
      if (ageMillis > oldestMillis) {
        oldestMillis = ageMillis;
        oldest = what;
      }
    }

    synchronized long redelivered() {
      return redelivered;
    }

    /** Acknowledged longer before the kill than a flush interval and the margin. */
    synchronized long tooOld() {
      return tooOld;
    }

    /** The longest time before the kill at which something redelivered was acknowledged. */
    synchronized int oldestMillis() {
      return oldestMillis;
    }

    synchronized String oldest() {
      return oldest;
    }

    synchronized int mostOfOneConsumer() {
      int most = 0;
      for (int count : perConsumer) {
        most = Math.max(most, count);
      }
      return most;
    }
  }

  private final long startNanos = System.nanoTime();
  private final MessageCopies acknowledgedAt;
  private final int windowMillis;
  private final List<Kill> kills = new ArrayList<>();
  private volatile Kill last;

  /**
   * Makes a tracker before the first message.
   *
   * @param windowMillis how long before a kill an acknowledgement may have been lost: the flush
   *     interval and a margin
   */
  KillTracker(int consumers, int messages, int windowMillis) {
    super(consumers, true);
    this.acknowledgedAt = new MessageCopies(consumers, messages);
    this.windowMillis = windowMillis;
  }

  @Override
  public boolean received(
      int consumer, int sequence, boolean first, long latencyNanos, long ledgerId, long entryId) {
    int nowMillis = nowMillis();
    AtomicIntegerArray times = acknowledgedAt.of(sequence, ledgerId, entryId);
    int before = times.get(consumer);
    if (before != 0) {
      redelivered(consumer, before, "%d at %d:%d".formatted(sequence, ledgerId, entryId));
    }
    times.lazySet(consumer, nowMillis);
    return super.received(consumer, sequence, first, latencyNanos, ledgerId, entryId);
  }

  private void redelivered(int consumer, int acknowledgedAtMillis, String what) {
    Kill kill = last;
    if (kill == null) {
      // Nothing was killed yet: as if it had been acknowledged for ever.
      kill = addKill(0, 0);
      kill.add(consumer, Integer.MAX_VALUE, windowMillis, what);
      return;
    }
    kill.add(
        consumer,
        Math.max(0, kill.atMillis - acknowledgedAtMillis),
        windowMillis,
        "message %s to consumer %d".formatted(what, consumer));
  }

  /** The broker has just been killed, at this time of {@link #nowMillis()}. */
  Kill killed(int atMillis) {
    return addKill(atMillis, acknowledgedSince(atMillis - windowMillis));
  }

  private synchronized Kill addKill(int atMillis, long acknowledged) {
    Kill kill = new Kill(atMillis, acknowledged, consumers());
    kills.add(kill);
    last = kill;
    return kill;
  }

  private long acknowledgedSince(int millis) {
    long count = 0;
    for (int sequence = 0; sequence < acknowledgedAt.messages(); sequence++) {
      AtomicIntegerArray times = acknowledgedAt.ofFirst(sequence);
      for (int i = 0; times != null && i < times.length(); i++) {
        int time = times.get(i);
        if (time != 0 && time >= millis) {
          count++;
        }
      }
    }
    return count;
  }

  synchronized List<Kill> kills() {
    return List.copyOf(kills);
  }

  int furtherCopies() {
    return acknowledgedAt.furtherCopies();
  }

  /** Since the tracker was made; never 0. */
  int nowMillis() {
    return 1 + (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }
}
