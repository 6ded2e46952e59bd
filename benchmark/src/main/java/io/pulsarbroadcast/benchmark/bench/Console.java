/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import java.io.PrintStream;

/** Where a command writes to. One thread at a time may call it. */
public interface Console {
  PrintStream out();

  PrintStream err();

  /** Whether {@link #out()} can show a progress bar. */
  boolean isTerminal();

  /** What was asked for, to be kept with the results. */
  String commandLine();
}
