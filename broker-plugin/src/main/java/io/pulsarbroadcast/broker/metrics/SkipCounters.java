/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.Throttled;
import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts, and logs once per event, what the consumers of one Broadcast subscription missed, by
 * cause (I6). May be called from any thread.
 */
public final class SkipCounters {

  private static final Logger log = LoggerFactory.getLogger(SkipCounters.class);

  /** How soon after a move the broker says why it has moved a subscription, if it does. */
  private static final long EXPLAINED_WITHIN_MILLIS = 1_000;

  private final String topic;
  private final String subscription;
  private final SubscriptionMetrics metrics;
  private final Map<SkipCause, LongAdder> entries = new EnumMap<>(SkipCause.class);
  private final Map<SkipCause, LongAdder> positions = new EnumMap<>(SkipCause.class);
  private final Throttled explaining;

  /** The last event of which nobody has said the cause yet. */
  @GuardedBy("this")
  private Skipped unexplained = Skipped.NOTHING;

  /**
   * @param timer runs what waits for an explanation
   */
  public SkipCounters(
      String topic,
      String subscription,
      SubscriptionMetrics metrics,
      ScheduledExecutorService timer) {
    this.topic = topic;
    this.subscription = subscription;
    this.metrics = metrics;
    this.explaining = new Throttled(timer, EXPLAINED_WITHIN_MILLIS, () -> explain(SkipCause.OTHER));
    for (SkipCause cause : SkipCause.values()) {
      entries.put(cause, new LongAdder());
      positions.put(cause, new LongAdder());
    }
  }

  /** Notes one event; nothing when nobody missed anything. */
  public void add(SkipCause cause, Skipped skipped) {
    if (skipped.positions() == 0) {
      return;
    }
    entries.get(cause).add(skipped.entries());
    positions.get(cause).add(skipped.positions());
    metrics.skipped(cause, skipped.entries());
    log.info(
        "[{}][{}] {} consumers miss {} entries in all that they had not acknowledged, because {};"
            + " {} entries so far",
        topic,
        subscription,
        skipped.positions(),
        skipped.entries(),
        cause.text(),
        entries(cause));
  }

  /** Notes one event whose cause {@link #explain} may say in a moment; else it is OTHER. */
  public synchronized void addUnexplained(Skipped skipped) {
    explain(SkipCause.OTHER);
    if (skipped.positions() > 0) {
      unexplained = skipped;
      explaining.request();
    }
  }

  /** Says the cause of the event whose cause is not known yet, if there is one. */
  public synchronized void explain(SkipCause cause) {
    Skipped explained = unexplained;
    unexplained = Skipped.NOTHING;
    add(cause, explained);
  }

  /** Notes positions that may have missed something, which nobody can count any more. */
  public void addUncounted(SkipCause cause, int uncounted) {
    if (uncounted > 0) {
      log.warn(
          "[{}][{}] {} consumers stand before the oldest stored entry, because {}: how many they"
              + " had not acknowledged of those before it is not known",
          topic,
          subscription,
          uncounted,
          cause.text());
    }
  }

  /** How many entries were missed, summed over the consumers that missed them. */
  public long entries(SkipCause cause) {
    return entries.get(cause).sum();
  }

  /** How many positions were moved or dropped. */
  public long positions(SkipCause cause) {
    return positions.get(cause).sum();
  }
}
