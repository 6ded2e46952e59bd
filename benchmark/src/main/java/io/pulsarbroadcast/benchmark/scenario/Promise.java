/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

/**
 * Something a scenario checks, and what came out. Immutable; any thread may call it.
 *
 * @param text what is promised
 * @param found what was found
 * @param kept whether it is so
 * @param measured whether it is about time, and so depends on the machine
 */
record Promise(String text, String found, boolean kept, boolean measured) {

  /** About what was delivered, or how much was kept: holds on every machine. */
  static Promise counted(String text, boolean kept, String found) {
    return new Promise(text, found, kept, false);
  }

  /** About time. */
  static Promise measured(String text, boolean kept, String found) {
    return new Promise(text, found, kept, true);
  }

  String line() {
    return (kept ? "kept    " : "BROKEN  ") + text + ": " + found;
  }
}
