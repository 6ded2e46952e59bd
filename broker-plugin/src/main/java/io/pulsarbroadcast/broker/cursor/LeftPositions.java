/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.ArrayList;
import java.util.List;

/**
 * The positions that were left behind under one name while it had others, from the oldest to the
 * newest. Guarded by its {@link CursorRegistry}.
 *
 * <p>A consumer that returns does not say whose position it comes for. So it starts at the lowest,
 * and none is taken away: each goes when its time to live is over since it was left behind, whoever
 * came and went meanwhile. Only how many wait is known. Nobody misses anything then, and whoever
 * stays away for good holds nothing back for longer than its time to live.
 *
 * <p>What is left within an eighth of the time to live is one position, so that there are no more
 * than a few of a name, however often its consumers come and go.
 */
final class LeftPositions {

  private static final int SPANS_PER_TIME_TO_LIVE = 8;

  private final List<LeftPosition> byTime = new ArrayList<>();

  /** The one that takes what is left behind now; null when another has to be added. */
  LeftPosition current(long nowMillis, long ttlSeconds) {
    if (byTime.isEmpty()) {
      return null;
    }
    LeftPosition newest = byTime.get(byTime.size() - 1);
    long span = ttlSeconds * 1_000 / SPANS_PER_TIME_TO_LIVE;
    return nowMillis - newest.sinceMillis() <= span ? newest : null;
  }

  void add(LeftPosition left) {
    int place = byTime.size();
    while (place > 0 && byTime.get(place - 1).leftAtMillis() > left.leftAtMillis()) {
      place--;
    }
    byTime.add(place, left);
  }

  /** How many consumers wait. */
  int count() {
    return byTime.stream().mapToInt(LeftPosition::leftBehindCount).sum();
  }

  List<LeftPosition> all() {
    return byTime;
  }

  /** One of those who wait has returned; the newest counts for it. */
  void returned() {
    for (int i = byTime.size() - 1; i >= 0; i--) {
      if (byTime.get(i).leftBehindCount() > 0) {
        byTime.get(i).returned();
        return;
      }
    }
  }

  /**
   * Takes the oldest off when its time is over. Of those who wait and are counted there, as many
   * may have left later as have returned since: they wait at a newer one.
   *
   * @return null when there is none whose time is over
   */
  Expired takeExpired(long nowMillis) {
    if (byTime.isEmpty() || !byTime.get(0).isExpired(nowMillis)) {
      return null;
    }
    LeftPosition oldest = byTime.remove(0);
    int waiting = oldest.leftBehindCount();
    for (LeftPosition newer : byTime) {
      waiting -= newer.take(waiting);
    }
    return new Expired(oldest, waiting);
  }

  /**
   * A position whose time is over.
   *
   * @param waiting how many have no position now; the others that it counted have a newer one
   */
  record Expired(LeftPosition position, int waiting) {}
}
