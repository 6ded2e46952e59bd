/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static io.pulsarbroadcast.broker.Interleavings.require;

import io.pulsarbroadcast.broker.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Two consumers that come, acknowledge, go and are expired, while the lowest position is published:
 * a returning consumer finds its position or, when expiry was first, none and is counted (I6); no
 * published position is above a registered cursor (I3).
 *
 * <p>What {@code lowest} answers is not compared: it scans while others acknowledge, and may be
 * lower than it ever was at one moment. It must not be higher.
 */
public class CursorRegistryLincheckTest {

  private static final int START = 5;
  private static final int END = 100;
  private static final int CARS = 2;

  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0, () -> 0);

  /** By consumer; null while it is away. */
  private final VirtualCursor[] connected = new VirtualCursor[CARS];

  /** By consumer, where it came without a position: at the published one, when that is higher. */
  private final long[] starts = new long[CARS];

  @Operation(nonParallelGroup = "car 0")
  public long comeFirst() {
    return come(0);
  }

  @Operation(nonParallelGroup = "car 0")
  public void goFirst() {
    go(0);
  }

  @Operation(nonParallelGroup = "car 0")
  public void acknowledgeFirst() {
    acknowledge(0);
  }

  @Operation(nonParallelGroup = "car 1")
  public long comeSecond() {
    return come(1);
  }

  @Operation(nonParallelGroup = "car 1")
  public void goSecond() {
    go(1);
  }

  @Operation(nonParallelGroup = "car 1")
  public void acknowledgeSecond() {
    acknowledge(1);
  }

  @Operation(nonParallelGroup = "car 1")
  public void unsubscribeSecond() {
    if (connected[1] != null) {
      registry.forget(connected[1]);
      connected[1] = null;
    }
  }

  /** The first car's time to live is nothing, the second's is long. */
  @Operation
  public int expire() {
    return registry.expire(1, END).positions();
  }

  @Operation
  public int leftBehind() {
    return registry.leftBehindCount();
  }

  @Operation
  public void publish() {
    long lowest = registry.lowest();
    for (int car = 0; car < CARS; car++) {
      VirtualCursor cursor = connected[car];
      require(cursor == null || cursor.next() >= lowest, "I3: published above a cursor");
    }
  }

  private long come(int car) {
    if (connected[car] != null) {
      return -1;
    }
    boolean[] isNew = {false};
    VirtualCursor cursor =
        registry.connect(
            "car-" + car,
            car * 3600L,
            () -> {
              isNew[0] = true;
              return START;
            },
            END);
    connected[car] = cursor;
    starts[car] = isNew[0] ? cursor.next() : starts[car];
    return cursor.next() - starts[car];
  }

  private void go(int car) {
    if (connected[car] != null) {
      registry.disconnect(connected[car]);
      connected[car] = null;
    }
  }

  private void acknowledge(int car) {
    if (connected[car] != null) {
      connected[car].ackCumulative(connected[car].next());
    }
  }

  @Test
  void shouldKeepEachPositionUntilItExpires() {
    Interleavings.check(CursorRegistryLincheckTest.class, Sequential.class, 30);
  }

  /** What is expected: per car whether it is connected, and how far it has come; -1: forgotten. */
  public static class Sequential {
    private final boolean[] connected = new boolean[CARS];
    private final long[] positions = {-1, -1};

    public long comeFirst() {
      return come(0);
    }

    public void goFirst() {
      connected[0] = false;
    }

    public void acknowledgeFirst() {
      acknowledge(0);
    }

    public long comeSecond() {
      return come(1);
    }

    public void goSecond() {
      connected[1] = false;
    }

    public void acknowledgeSecond() {
      acknowledge(1);
    }

    public void unsubscribeSecond() {
      if (connected[1]) {
        connected[1] = false;
        positions[1] = -1;
      }
    }

    public int expire() {
      boolean expired = !connected[0] && positions[0] >= 0;
      if (expired) {
        positions[0] = -1;
      }
      return expired ? 1 : 0;
    }

    public int leftBehind() {
      int count = 0;
      for (int car = 0; car < CARS; car++) {
        count += !connected[car] && positions[car] >= 0 ? 1 : 0;
      }
      return count;
    }

    public void publish() {}

    private long come(int car) {
      if (connected[car]) {
        return -1;
      }
      connected[car] = true;
      positions[car] = Math.max(0, positions[car]);
      return positions[car];
    }

    private void acknowledge(int car) {
      if (connected[car]) {
        positions[car]++;
      }
    }
  }
}
