/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Chooses, of many consumers, the few that are furthest behind: one pass, with a heap no larger
 * than the choice. Used by one thread.
 */
public final class FurthestBehind<T> {

  private static final Comparator<Placed<?>> BY_POSITION =
      Comparator.comparingLong(Placed::position);

  private final int limit;

  /** The one that is least far behind on top. */
  private final PriorityQueue<Placed<T>> chosen;

  /**
   * Somebody at a position; the position is kept here because it moves on meanwhile.
   *
   * @param position the first unacknowledged ordinal
   */
  public record Placed<T>(T item, long position) {}

  /**
   * @param limit how many to choose
   */
  public FurthestBehind(int limit) {
    this.limit = limit;
    this.chosen = new PriorityQueue<>(Math.max(1, limit), BY_POSITION.reversed());
  }

  public void offer(T item, long position) {
    if (chosen.size() < limit) {
      chosen.add(new Placed<>(item, position));
    } else if (limit > 0 && position < chosen.peek().position()) {
      chosen.poll();
      chosen.add(new Placed<>(item, position));
    }
  }

  /** Those chosen, the furthest behind first. */
  public List<Placed<T>> inOrder() {
    List<Placed<T>> ordered = new ArrayList<>(chosen);
    ordered.sort(BY_POSITION);
    return ordered;
  }
}
