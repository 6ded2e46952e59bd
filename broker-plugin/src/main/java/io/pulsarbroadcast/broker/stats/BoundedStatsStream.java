/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import java.util.Map;
import org.apache.pulsar.utils.StatsOutputStream;

/**
 * Where the broker writes the statistics of one topic, without the consumers of Broadcast
 * subscriptions past a limit: it writes all of them once a minute and keeps the text in memory, 40
 * MB for 100,000. How many were left out is written behind the list.
 *
 * <p>Used by one thread, for one update.
 */
public final class BoundedStatsStream extends StatsOutputStream {

  private final StatsOutputStream out;
  private final Map<String, Integer> limits;

  /** The key of the object opened last. */
  private String key;

  /** How many consumers the list under way may still have, or null in no such list. */
  private Integer remaining;

  private int leftOut;

  /** Objects open inside a consumer that is left out, itself included. */
  private int leftOutDepth;

  /**
   * @param limits subscription to the number of its consumers that may be written; others are not
   *     limited
   */
  public BoundedStatsStream(StatsOutputStream out, Map<String, Integer> limits) {
    super(out.getBuffer());
    this.out = out;
    this.limits = limits;
  }

  @Override
  public StatsOutputStream startObject() {
    if (leftOutDepth > 0) {
      leftOutDepth++;
    } else if (remaining == null) {
      out.startObject();
    } else if (remaining > 0) {
      remaining--;
      out.startObject();
    } else {
      leftOut++;
      leftOutDepth = 1;
    }
    return this;
  }

  @Override
  public StatsOutputStream startObject(String name) {
    if (leftOutDepth > 0) {
      leftOutDepth++;
    } else {
      key = name;
      out.startObject(name);
    }
    return this;
  }

  @Override
  public StatsOutputStream endObject() {
    if (leftOutDepth > 0) {
      leftOutDepth--;
    } else {
      out.endObject();
    }
    return this;
  }

  @Override
  public StatsOutputStream startList(String name) {
    if (name.equals("consumers")) {
      remaining = limits.get(key);
      leftOut = 0;
    }
    out.startList(name);
    return this;
  }

  @Override
  public StatsOutputStream endList() {
    out.endList();
    if (remaining != null) {
      remaining = null;
      out.writePair("consumersNotListed", (long) leftOut);
    }
    return this;
  }

  @Override
  public StatsOutputStream writePair(String name, boolean value) {
    if (leftOutDepth == 0) {
      out.writePair(name, value);
    }
    return this;
  }

  @Override
  public StatsOutputStream writePair(String name, long value) {
    if (leftOutDepth == 0) {
      out.writePair(name, value);
    }
    return this;
  }

  @Override
  public StatsOutputStream writePair(String name, double value) {
    if (leftOutDepth == 0) {
      out.writePair(name, value);
    }
    return this;
  }

  @Override
  public StatsOutputStream writePair(String name, String value) {
    if (leftOutDepth == 0) {
      out.writePair(name, value);
    }
    return this;
  }
}
