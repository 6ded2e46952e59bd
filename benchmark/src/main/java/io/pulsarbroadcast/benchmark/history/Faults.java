/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Event.Fault;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The faults, and what came again after each. Only the checker's thread changes it. */
public final class Faults {
  private static final class State {
    private final Fault begun;
    private final boolean isAlone;
    private final Map<String, Long> cameAgain = new HashMap<>();
    private boolean confirmed;
    private boolean healed;
    private long healedMicros = Long.MAX_VALUE;
    private long couldComeAgain;
    private long oldestMicros;

    /** {@code isAlone}: whether all crashes that began before are over. */
    State(Fault begun, long couldComeAgain, boolean isAlone) {
      this.begun = begun;
      this.couldComeAgain = couldComeAgain;
      this.isAlone = isAlone;
    }
  }

  /**
   * What came again after a fault and before the next.
   *
   * @param cameAgain deliveries of acknowledged messages, to all consumers
   * @param couldComeAgain what was acknowledged so shortly before, or until a crash was over, that
   *     the crash may lose it
   * @param mostOfOneConsumer of what came again
   * @param oldestMillis how long before the fault the oldest was acknowledged
   */
  public record Report(
      int number,
      String kind,
      long cameAgain,
      long couldComeAgain,
      long mostOfOneConsumer,
      long oldestMillis) {
    /** Whether no more came again than could. */
    public boolean isWithinBound() {
      return cameAgain <= couldComeAgain;
    }
  }

  private final Map<Integer, State> byNumber = new LinkedHashMap<>();
  private final List<State> crashes = new ArrayList<>();
  private State latest;
  private long healedMicros;

  Faults() {}

  /** {@code couldComeAgain} counts when one begins. */
  void fault(Fault fault, long couldComeAgain, Findings findings) {
    if (fault.step() == Event.Step.BEGUN) {
      boolean isAlone = crashes.stream().allMatch(crash -> crash.healed);
      latest = new State(fault, couldComeAgain, isAlone);
      if (byNumber.put(fault.number(), latest) != null) {
        findings.invalid(List.of(fault.line()), "Fault %d begins twice.", fault.number());
      }
      if (fault.crash()) {
        crashes.add(latest);
      }
      return;
    }
    State state = byNumber.get(fault.number());
    if (state == null) {
      findings.invalid(List.of(fault.line()), "Fault %d has not begun.", fault.number());
    } else if (fault.step() == Event.Step.CONFIRMED) {
      state.confirmed = true;
    } else {
      state.healed = true;
      state.healedMicros = fault.micros();
      healedMicros = fault.micros();
    }
  }

  /**
   * Whether a crash may have lost an acknowledgement of this time. One whose connection has lived
   * until {@code activeMicros}, well after the crash, is with a broker that has survived, and that
   * has stored it since.
   */
  boolean mayHaveLost(long ackMicros, long activeMicros, long windowMicros) {
    for (int i = crashes.size() - 1; i >= 0; i--) {
      State crash = crashes.get(i);
      if (ackMicros >= crash.begun.micros() - windowMicros
          && ackMicros <= crash.healedMicros
          && activeMicros <= calmMicros(i, windowMicros)) {
        return true;
      }
      if (crash.isAlone && ackMicros > crash.healedMicros) {
        return false;
      }
    }
    return false;
  }

  /** When no crash had been going on for this long after one had begun. */
  private long calmMicros(int first, long windowMicros) {
    long calm = 0;
    for (int i = first; i < crashes.size(); i++) {
      State crash = crashes.get(i);
      if (i > first && crash.begun.micros() > calm) {
        break;
      }
      if (!crash.healed) {
        return Long.MAX_VALUE;
      }
      calm = Math.max(calm, crash.healedMicros + windowMicros);
    }
    return calm;
  }

  /** So many messages are acknowledged now. */
  void acknowledged(int messages) {
    if (latest != null && latest.begun.crash() && !latest.healed) {
      latest.couldComeAgain += messages;
    }
  }

  /** An acknowledged message has come again to a consumer. */
  void cameAgain(String consumer, long ackMicros) {
    if (latest != null) {
      latest.cameAgain.merge(consumer, 1L, Long::sum);
      latest.oldestMicros = Math.max(latest.oldestMicros, latest.begun.micros() - ackMicros);
    }
  }

  /** A fault that has no end; null if there is none. */
  Fault unhealed() {
    return byNumber.values().stream()
        .filter(state -> !state.healed)
        .map(state -> state.begun)
        .findFirst()
        .orElse(null);
  }

  /** When the last fault was over. */
  long healedMicros() {
    return healedMicros;
  }

  void finish(Findings findings) {
    for (State state : byNumber.values()) {
      if (!state.confirmed) {
        findings.invalid(
            List.of(state.begun.line()),
            "Fault %d (%s) began, and nobody saw that it happened.",
            state.begun.number(),
            state.begun.kind());
      }
    }
  }

  List<Report> reports() {
    return byNumber.values().stream()
        .map(
            state ->
                new Report(
                    state.begun.number(),
                    state.begun.kind(),
                    state.cameAgain.values().stream().mapToLong(Long::longValue).sum(),
                    state.couldComeAgain,
                    state.cameAgain.values().stream().mapToLong(Long::longValue).max().orElse(0),
                    TimeUnit.MICROSECONDS.toMillis(state.oldestMicros)))
        .toList();
  }

  /** How many objects it holds. */
  int size() {
    return byNumber.values().stream().mapToInt(state -> 1 + state.cameAgain.size()).sum();
  }
}
