/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

import io.pulsarbroadcast.benchmark.load.RunListener;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A bar per phase on a terminal, or else a line every few seconds. One thread at a time may call
 * it.
 */
public final class Progress implements RunListener {
  private static final int BAR_WIDTH = 30;
  private static final long TERMINAL_INTERVAL_MILLIS = 100;
  private static final long LINE_INTERVAL_MILLIS = 5_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final PrintStream out;
  private final boolean terminal;
  private String phase = "";
  private long total;
  private long done;
  private long startNanos;
  private long lastShownNanos;
  private boolean stopped;

  public Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  @Override
  public synchronized void phaseStarted(String name, long expectedTotal) {
    phase = name;
    total = expectedTotal;
    done = 0;
    startNanos = System.nanoTime();
    lastShownNanos = startNanos;
    if (terminal) {
      show();
    }
  }

  @Override
  public synchronized void progress(long nowDone) {
    done = nowDone;
    long intervalMillis = terminal ? TERMINAL_INTERVAL_MILLIS : LINE_INTERVAL_MILLIS;
    if (System.nanoTime() - lastShownNanos >= TimeUnit.MILLISECONDS.toNanos(intervalMillis)) {
      lastShownNanos = System.nanoTime();
      show();
    }
  }

  @Override
  public synchronized void phaseEnded() {
    show();
    if (terminal && !stopped) {
      out.println();
    }
  }

  /** Leaves a half-drawn bar alone, begins a new line, and shows nothing more. */
  public synchronized void interrupt() {
    if (terminal && !stopped) {
      out.println();
    }
    stopped = true;
  }

  private void show() {
    if (stopped) {
      return;
    }
    String line = line();
    if (terminal) {
      out.print("\r" + line + "\u001b[K");
      out.flush();
    } else {
      out.println(line);
    }
  }

  String line() {
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    double share = total <= 0 ? 0 : Math.min(1.0, (double) done / total);
    String bar = "";
    if (terminal) {
      int filled = (int) (share * BAR_WIDTH);
      bar = "[" + "#".repeat(filled) + "-".repeat(BAR_WIDTH - filled) + "] ";
    }
    String count = total == 1 ? "" : String.format(Locale.ROOT, "%,d of %,d  ", done, total);
    return String.format(Locale.ROOT, "%-36s %s%s%.1f s", phase, bar, count, seconds);
  }
}
