/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import org.apache.pulsar.common.policies.data.stats.ConsumerStatsImpl;

/**
 * While a thread has this open, the broker asks each consumer of a topic on it for its statistics
 * only to sum them up, but for those that it also writes down. The others answer with their
 * numbers: of 100,000 it took most of a second each minute to format addresses and times.
 *
 * <p>For the thread that began it.
 */
public final class BriefStats implements AutoCloseable {
  private static final ThreadLocal<BriefStats> CURRENT = new ThreadLocal<>();

  private final boolean writesDown;
  private final ConsumerStatsImpl numbers = new ConsumerStatsImpl();

  /** Whose consumers are asked; one subscription's after the other's. */
  private BroadcastStats subscription;

  /** How many of them are still to be written down. */
  private int whole;

  private BriefStats(boolean writesDown) {
    this.writesDown = writesDown;
  }

  /**
   * @param writesDown whether the broker writes down the first consumers of each subscription, as
   *     many as {@link BoundedStatsStream} lets pass
   */
  public static BriefStats begin(boolean writesDown) {
    BriefStats begun = new BriefStats(writesDown);
    CURRENT.set(begun);
    return begun;
  }

  /** Whether statistics that this thread makes now are summed up, and not shown. */
  static boolean isSum() {
    BriefStats current = CURRENT.get();
    return current != null && !current.writesDown;
  }

  /** What the subscription's next consumer is to fill with numbers, or null: all is asked for. */
  public static ConsumerStatsImpl numbers(BroadcastStats subscription) {
    BriefStats current = CURRENT.get();
    return current == null ? null : current.next(subscription);
  }

  private ConsumerStatsImpl next(BroadcastStats asked) {
    if (subscription != asked) {
      subscription = asked;
      whole = writesDown ? asked.maxConsumers() : 0;
    }
    if (whole > 0) {
      whole--;
      return null;
    }
    return numbers;
  }

  @Override
  public void close() {
    CURRENT.remove();
  }
}
