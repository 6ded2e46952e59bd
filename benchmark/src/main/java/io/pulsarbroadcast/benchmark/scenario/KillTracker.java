/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Notes when each consumer acknowledged each message, and finds what comes again after a kill
 * although it was acknowledged before. The fleet's event loops write; one other thread may call the
 * rest.
 */
final class KillTracker extends RedeliveryLog {
  /**
   * What came again after a kill.
   *
   * @param ageMillis how long before the kill it was acknowledged
   * @param tooOld whether that is longer than a flush interval and the margin
   */
  record Redelivery(int consumer, Copy copy, int ageMillis, boolean tooOld) {
    @Override
    public String toString() {
      return copy + " to consumer " + consumer;
    }
  }

  /**
   * One kill and what came again after it.
   *
   * @param acknowledgedInWindow what was acknowledged within a flush interval and the margin
   */
  record Kill(int atMillis, long acknowledgedInWindow, Queue<Redelivery> redeliveries) {
    long tooOld() {
      return redeliveries.stream().filter(Redelivery::tooOld).count();
    }

    /** What was acknowledged longest before. */
    Optional<Redelivery> oldest() {
      return redeliveries.stream().max(Comparator.comparingInt(Redelivery::ageMillis));
    }

    int oldestMillis() {
      return oldest().map(Redelivery::ageMillis).orElse(0);
    }

    long mostOfOneConsumer() {
      Collection<Long> perConsumer =
          redeliveries.stream()
              .map(Redelivery::consumer)
              .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
              .values();
      return perConsumer.stream().mapToLong(Long::longValue).max().orElse(0);
    }
  }

  private final long startNanos = System.nanoTime();
  private final int windowMillis;
  private final List<Kill> kills = new CopyOnWriteArrayList<>();

  /**
   * Makes a tracker before the first message.
   *
   * @param windowMillis how long before a kill an acknowledgement may have been lost: the flush
   *     interval and a margin
   */
  KillTracker(int consumers, int messages, int windowMillis) {
    super(consumers, messages);
    this.windowMillis = windowMillis;
  }

  @Override
  int numberNow() {
    return nowMillis();
  }

  @Override
  void redelivered(int consumer, Copy copy, int acknowledgedAtMillis) {
    // If nothing was killed yet: as if it had been acknowledged for ever.
    Kill kill = kills.isEmpty() ? addKill(Integer.MAX_VALUE, 0) : kills.get(kills.size() - 1);
    int ageMillis = Math.max(0, kill.atMillis - acknowledgedAtMillis);
    kill.redeliveries.add(new Redelivery(consumer, copy, ageMillis, ageMillis > windowMillis));
  }

  /** The broker has just been killed, at this time of {@link #nowMillis()}. */
  Kill killed(int atMillis) {
    long acknowledged =
        IntStream.range(0, messages())
            .mapToLong(sequence -> countSince(atMillis - windowMillis, numbersOfFirst(sequence)))
            .sum();
    return addKill(atMillis, acknowledged);
  }

  private Kill addKill(int atMillis, long acknowledged) {
    Kill kill = new Kill(atMillis, acknowledged, new ConcurrentLinkedQueue<>());
    kills.add(kill);
    return kill;
  }

  private static long countSince(int millis, AtomicIntegerArray times) {
    return IntStream.range(0, times.length())
        .map(times::get)
        .filter(time -> time != 0 && time >= millis)
        .count();
  }

  List<Kill> kills() {
    return kills;
  }

  /** Since the tracker was made; never 0. */
  int nowMillis() {
    return 1 + (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }
}
