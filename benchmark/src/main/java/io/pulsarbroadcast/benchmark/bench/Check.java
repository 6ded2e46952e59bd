/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import java.util.Locale;

/**
 * Something a run checks, and what came out. Immutable; any thread may call it.
 *
 * @param text what is to hold
 * @param found what was found
 * @param holds whether it is so
 * @param timed whether it is about time, and so depends on the machine
 */
public record Check(String text, String found, boolean holds, boolean timed) {
  /** About what was delivered, or how much was kept: holds on every machine. */
  public static Check counted(String text, boolean holds, String found, Object... values) {
    return new Check(text, String.format(Locale.ROOT, found, values), holds, false);
  }

  /** About time. */
  public static Check timed(String text, boolean holds, String found, Object... values) {
    return new Check(text, String.format(Locale.ROOT, found, values), holds, true);
  }

  /** For people. */
  public String line() {
    return (holds ? "holds   " : "BROKEN  ") + text + ": " + found;
  }
}
