/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.pulsarbroadcast.broker.Throttled;
import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in a log of its own, {@value #LOGGER}, who took, dropped or moved the positions of one
 * Broadcast subscription, and which expired with a backlog: one line per event. Of each kind of
 * event, a minute has at most {@value #MAX_LINES} lines; then one line counts the others. May be
 * called from any thread.
 */
public final class AuditLog {

  static final String LOGGER = "io.pulsarbroadcast.audit";
  static final int MAX_LINES = 100;
  private static final long INTERVAL_MILLIS = 60_000;

  /** How many names one line has. */
  private static final int MAX_NAMES = 10;

  private static final Logger log = LoggerFactory.getLogger(LOGGER);

  private final String topic;
  private final String subscription;
  private final Lines taken;
  private final Lines expired;
  private final Lines dropped;
  private final Lines moved;

  /**
   * @param timer runs what counts the lines left out
   */
  public AuditLog(String topic, String subscription, ScheduledExecutorService timer) {
    this.topic = topic;
    this.subscription = subscription;
    this.taken = new Lines("positions taken", timer);
    this.expired = new Lines("positions expired", timer);
    this.dropped = new Lines("positions dropped", timer);
    this.moved = new Lines("positions moved", timer);
  }

  /**
   * A consumer has returned to a position that one at another address had left.
   *
   * @param role whom the broker takes it for; null: nobody is authenticated
   */
  public void taken(String name, String leftFrom, String takenFrom, String role) {
    taken.write(
        "Consumer %s at %s%s took the position that one at %s had left",
        quoted(name), takenFrom, by(role), leftFrom);
  }

  /**
   * An operator has moved a position.
   *
   * @param from the last acknowledged entry before, such as {@code 12:3}
   * @param to the same afterwards
   * @param operator the role, or null
   */
  public void moved(String name, String from, String to, String operator) {
    moved.write("Position of %s moved%s, from %s to %s", quoted(name), by(operator), from, to);
  }

  /** Collects the positions with a backlog that expire at one time. */
  public Dropped expiry() {
    return new Dropped(expired, "expired");
  }

  /**
   * Collects the positions that an operator drops at one time.
   *
   * @param operator the role, or null
   */
  public Dropped drop(String operator) {
    return new Dropped(dropped, "dropped" + by(operator));
  }

  private static String by(String role) {
    return role == null ? "" : " by role " + quoted(role);
  }

  /** Whole and as a JSON string: it is not to be taken for another, or for words of the line. */
  private static String quoted(String name) {
    return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(name)) + '"';
  }

  /**
   * Positions that were dropped since the last line about them: told of each while positions are
   * locked, it writes later. Used by one thread at a time.
   */
  public final class Dropped implements BiConsumer<String, Skipped> {
    private final Lines lines;
    private final String how;
    private final List<String> names = new ArrayList<>();
    private boolean others;
    private int positions;
    private long entries;

    private Dropped(Lines lines, String how) {
      this.lines = lines;
      this.how = how;
    }

    @Override
    public void accept(String name, Skipped unacknowledged) {
      positions += unacknowledged.positions();
      entries += unacknowledged.entries();
      if (names.size() < MAX_NAMES) {
        names.add(name);
      } else {
        others = true;
      }
    }

    /** Writes the line, if there is something to say. */
    public void write() {
      if (positions == 0) {
        return;
      }
      lines.write(
          "%d positions %s with %d unacknowledged entries in all, of %s%s",
          positions,
          how,
          entries,
          names.stream().map(AuditLog::quoted).collect(Collectors.joining(", ")),
          others ? " and others" : "");
      names.clear();
      others = false;
      positions = 0;
      entries = 0;
    }
  }

  /** The lines about one kind of event. */
  private final class Lines {
    private final String events;
    private final AtomicInteger inInterval = new AtomicInteger();
    private final Throttled interval;

    Lines(String events, ScheduledExecutorService timer) {
      this.events = events;
      this.interval = new Throttled(timer, INTERVAL_MILLIS, this::end);
    }

    void write(String format, Object... arguments) {
      if (!log.isInfoEnabled()) {
        return;
      }
      int number = inInterval.incrementAndGet();
      interval.request();
      if (number <= MAX_LINES) {
        log.info("[{}][{}] {}", topic, subscription, String.format(format, arguments));
      }
    }

    private void end() {
      int leftOut = inInterval.getAndSet(0) - MAX_LINES;
      if (leftOut > 0) {
        log.info(
            "[{}][{}] {} further lines about {} left out; a minute has at most {}",
            topic,
            subscription,
            leftOut,
            events,
            MAX_LINES);
      }
    }
  }
}
