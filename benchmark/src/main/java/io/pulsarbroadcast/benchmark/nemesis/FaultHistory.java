/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.benchmark.history.Event.Step;
import java.util.HashMap;
import java.util.Map;

/**
 * Numbers the faults, and records them in the histories of all topics. Any thread may call it: what
 * ends by itself is recorded by who notices it first, because what is lost with it is explained
 * only from there on.
 */
final class FaultHistory {
  /** What was not drawn, but happened by itself. */
  static final String ENDED = "ended-by-itself";

  /** Writes one step of a fault. */
  interface Recorder {
    void fault(Step step, int number, String kind, boolean crash);
  }

  private record Fault(String kind, boolean isCrash) {}

  private final Recorder recorder;

  /** By number: those that are not over. */
  private final Map<Integer, Fault> open = new HashMap<>();

  private int numbers;

  /** The number of what has ended by itself, while that is not over; else 0. */
  private int ended;

  FaultHistory(Recorder recorder) {
    this.recorder = recorder;
  }

  /** One begins now; returns its number. */
  synchronized int begun(String kind, boolean isCrash) {
    int number = ++numbers;
    open.put(number, new Fault(kind, isCrash));
    record(Step.BEGUN, number);
    return number;
  }

  /** Something has ended by itself, and that is not explained yet by a crash that is going on. */
  synchronized void noticedEnd() {
    if (open.values().stream().noneMatch(Fault::isCrash)) {
      ended = begun(ENDED, true);
    }
  }

  /** What has ended by itself is made good now: the number that it has, or gets. */
  synchronized int ended() {
    if (ended == 0) {
      ended = begun(ENDED, true);
    }
    return ended;
  }

  synchronized void confirmed(int number) {
    record(Step.CONFIRMED, number);
  }

  /** It is over, and everything is ready: so is what has ended by itself meanwhile. */
  synchronized void healed(int number) {
    if (ended != 0 && ended != number) {
      record(Step.CONFIRMED, ended);
      close(ended);
    }
    close(number);
  }

  private void close(int number) {
    record(Step.HEALED, number);
    open.remove(number);
    if (number == ended) {
      ended = 0;
    }
  }

  private void record(Step step, int number) {
    Fault fault = open.get(number);
    recorder.fault(step, number, fault.kind, fault.isCrash);
  }
}
