/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.util.concurrent.TimeUnit;

/**
 * CPU time of a part of a run. Immutable.
 *
 * @param millis how long the part was
 * @param ownMillis of this process
 * @param serverMillis of the server; {@link CpuClock#UNKNOWN} when it is not on this machine
 */
public record CpuSpent(long millis, long ownMillis, long serverMillis) {
  private static final double SECONDS_PER_MINUTE = 60;

  /** Seconds of this process's CPU per minute. */
  public double ownSecondsPerMinute() {
    return perMinute(ownMillis);
  }

  /** Seconds of the server's CPU per minute. */
  public double serverSecondsPerMinute() {
    return perMinute(serverMillis);
  }

  private double perMinute(long cpuMillis) {
    return (double) cpuMillis / millis * SECONDS_PER_MINUTE;
  }

  /** Does nothing for some seconds. */
  static CpuSpent idle(LoadServer server, int seconds, RunListener listener)
      throws InterruptedException {
    CpuClock clock = new CpuClock(server.process());
    long startNanos = System.nanoTime();
    listener.phaseStarted("idle", seconds);
    for (int second = 1; second <= seconds; second++) {
      Schedule.awaitTime(startNanos + TimeUnit.SECONDS.toNanos(second));
      listener.progress(second);
    }
    listener.phaseEnded();
    return clock.spent();
  }
}
