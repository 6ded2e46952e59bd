/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.ledger.StartPositions;
import io.pulsarbroadcast.broker.metrics.FurthestBehind;
import io.pulsarbroadcast.broker.metrics.Lag;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.common.policies.data.stats.ConsumerStatsImpl;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;

/**
 * What the broker's statistics show of one Broadcast subscription, however many consumers it has:
 * the consumers furthest behind, up to broadcastStatsMaxConsumers, and how many more there are. All
 * counters and rates cover everybody. May be called from any thread.
 *
 * <p>What is said of the whole has no field of its own in the broker's statistics. It is among the
 * subscription's properties as they are shown (its own properties are not changed); what is said of
 * one consumer is among its metadata. See docs/metrics.md.
 */
public final class BroadcastStats {

  private static final String PREFIX = "pulsar.broadcast.";
  private static final String CONSUMERS = PREFIX + "consumers";
  private static final String NOT_LISTED = PREFIX + "consumers.not.listed";
  private static final String WAITING = PREFIX + "positions.waiting";
  private static final String LOST = PREFIX + "positions.lost";
  private static final String SLOWEST = PREFIX + "lag.slowest.entries";
  private static final String MEDIAN = PREFIX + "lag.median.entries";

  /** Of what is shown among a subscription's properties. */
  private static final Set<String> NAMES =
      Set.of(CONSUMERS, NOT_LISTED, WAITING, LOST, SLOWEST, MEDIAN);

  private static final String POSITION = PREFIX + "position";
  private static final String LAG = PREFIX + "lag.entries";

  /** The broker's classes that make series of each consumer when it is configured to. */
  private static final Set<String> SERIES_MAKERS =
      Set.of(
          "org.apache.pulsar.broker.stats.prometheus.NamespaceStatsAggregator",
          "org.apache.pulsar.broker.stats.OpenTelemetryConsumerStats");

  private static final String OWN = "io.pulsarbroadcast.broker.";

  /** Where the broker's classes are that answer operators. */
  private static final String ADMIN = "org.apache.pulsar.broker.admin.";

  private static final StackWalker CALLERS = StackWalker.getInstance();

  /** The connected consumers of the subscription. */
  public interface Connected {

    /** How many there are. */
    int count();

    /** A copy of all of them. */
    List<? extends Consumer> snapshot();

    /** The ordinal of the first entry that one of them has not acknowledged. */
    long next(Consumer consumer);

    /** Whether the position of one of them outlives its connection. */
    boolean isDurable(Consumer consumer);
  }

  private final CursorRegistry cursors;
  private final StartPositions startPositions;
  private final Connected consumers;
  private final int maxConsumers;

  /**
   * @param maxConsumers how many consumers are shown
   */
  public BroadcastStats(
      CursorRegistry cursors,
      StartPositions startPositions,
      Connected consumers,
      int maxConsumers) {
    this.cursors = cursors;
    this.startPositions = startPositions;
    this.consumers = consumers;
    this.maxConsumers = maxConsumers;
  }

  /** How many consumers are shown. */
  public int maxConsumers() {
    return maxConsumers;
  }

  /** Replaces the list of all consumers; does nothing when that has been done. */
  public SubscriptionStatsImpl shown(SubscriptionStatsImpl stats) {
    // As of a reader's: no partition that is added is to keep anything for it.
    stats.isDurable = cursors.isKeptForDurable();
    if (BriefStats.isSum()) {
      return sumUp(stats);
    }
    if (stats.subscriptionProperties instanceof Shown) {
      return stats;
    }
    List<ConsumerStatsImpl> listed = new ArrayList<>();
    int all = stats.consumers.size();
    if (all > 0) {
      for (FurthestBehind.Placed<Consumer> placed : furthestBehind()) {
        listed.add(statsOf(placed));
      }
    }
    stats.consumers = listed;
    Shown properties = new Shown(stats.subscriptionProperties);
    summary().forEach((name, value) -> properties.put(name, value.toString()));
    properties.put(NOT_LISTED, Long.toString(Math.max(0, consumers.count() - listed.size())));
    stats.subscriptionProperties = properties;
    return stats;
  }

  /** A subscription's properties, among which these statistics are. */
  private static final class Shown extends HashMap<String, String> {
    private static final long serialVersionUID = 1;

    Shown(Map<String, String> properties) {
      super(properties);
    }
  }

  /** A subscription's properties without these statistics. */
  public static Map<String, String> withoutShown(Map<String, String> properties) {
    Map<String, String> without = new HashMap<>(properties);
    without.keySet().removeAll(NAMES);
    return without;
  }

  /**
   * Makes a list of consumers from which the broker, which counts and sums them for its metrics,
   * gets the right numbers: everything in the first, and the others with nothing.
   */
  private SubscriptionStatsImpl sumUp(SubscriptionStatsImpl stats) {
    ConsumerStatsImpl everything = new ConsumerStatsImpl();
    everything.msgRateOut = stats.msgRateOut;
    everything.msgThroughputOut = stats.msgThroughputOut;
    everything.msgRateRedeliver = stats.msgRateRedeliver;
    everything.messageAckRate = stats.messageAckRate;
    everything.unackedMessages = (int) Math.min(Integer.MAX_VALUE, stats.unackedMessages);
    int count = consumers.count();
    ConsumerStatsImpl nothing = new ConsumerStatsImpl();
    stats.consumers =
        new AbstractList<>() {
          @Override
          public ConsumerStatsImpl get(int index) {
            return index == 0 ? everything : nothing;
          }

          @Override
          public int size() {
            return count;
          }
        };
    return stats;
  }

  /** Adds to the managed cursor's properties, as they are shown. */
  public Map<String, Long> cursorProperties(Map<String, Long> properties) {
    Map<String, Long> shown = new HashMap<>(Optional.ofNullable(properties).orElse(Map.of()));
    shown.putAll(summary());
    return shown;
  }

  /** Whether consumers are being asked for to make a series of each: there are too many. */
  public boolean hidesConsumers() {
    return SERIES_MAKERS.contains(caller());
  }

  /**
   * Whether the broker asks a topic in order to answer an operator, and not for its own metrics.
   */
  public static boolean isForOperator() {
    return caller().startsWith(ADMIN);
  }

  /** The class of the broker that asks, also within a stream, or an empty name. */
  private static String caller() {
    return CALLERS.walk(
        frames ->
            frames
                .map(StackWalker.StackFrame::getClassName)
                .filter(name -> !name.startsWith(OWN) && !name.startsWith("java."))
                .findFirst()
                .orElse(""));
  }

  private Map<String, Long> summary() {
    Lag lag = Lag.of(cursors.connectedPositions(), this::lag);
    return Map.of(
        LOST,
        cursors.isFloorHeld() ? 1L : 0L,
        CONSUMERS,
        (long) consumers.count(),
        WAITING,
        (long) cursors.leftBehindCount(),
        SLOWEST,
        lag.slowestEntries(),
        MEDIAN,
        lag.medianEntries());
  }

  private long lag(long position) {
    return cursors.lag(position, startPositions.end());
  }

  private List<FurthestBehind.Placed<Consumer>> furthestBehind() {
    FurthestBehind<Consumer> furthest = new FurthestBehind<>(maxConsumers);
    for (Consumer consumer : consumers.snapshot()) {
      furthest.offer(consumer, consumers.next(consumer));
    }
    return furthest.inOrder();
  }

  /** A copy: the broker changes a consumer's own statistics whenever they are asked for. */
  private ConsumerStatsImpl statsOf(FurthestBehind.Placed<Consumer> placed) {
    ConsumerStatsImpl own = placed.item().getStats();
    ConsumerStatsImpl copy = new ConsumerStatsImpl().add(own);
    copy.consumerName = placed.item().consumerName();
    copy.avgMessagesPerEntry = own.avgMessagesPerEntry;
    copy.lastConsumedFlowTimestamp = own.lastConsumedFlowTimestamp;
    copyTimestamps(own, copy);
    copy.setAddress(own.getAddress());
    copy.setConnectedSince(own.getConnectedSince());
    copy.setClientVersion(own.getClientVersion());
    copy.metadata = new HashMap<>(Optional.ofNullable(own.metadata).orElse(Map.of()));
    copy.metadata.put(
        POSITION,
        startPositions
            .positionBefore(placed.position(), consumers.isDurable(placed.item()))
            .toString());
    copy.metadata.put(LAG, Long.toString(lag(placed.position())));
    return copy;
  }

  @SuppressWarnings("deprecation") // The broker's own statistics still have no other field.
  private static void copyTimestamps(ConsumerStatsImpl from, ConsumerStatsImpl to) {
    to.lastAckedTimestamp = from.lastAckedTimestamp;
    to.lastConsumedTimestamp = from.lastConsumedTimestamp;
  }
}
