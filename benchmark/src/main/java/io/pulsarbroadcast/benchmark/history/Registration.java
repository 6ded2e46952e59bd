/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Event.Closed;
import io.pulsarbroadcast.benchmark.history.Event.Phase;
import io.pulsarbroadcast.benchmark.history.Event.Seek;
import io.pulsarbroadcast.benchmark.history.Event.Subscribe;
import io.pulsarbroadcast.benchmark.history.Event.Unsubscribe;
import java.util.List;
import java.util.function.Function;

/**
 * A name that has subscribed: whether it is registered and connected, and which incarnation counts.
 * Only the checker's thread uses it.
 */
final class Registration {
  private final Findings findings;
  private final Function<Subscribe, ConsumerState> newState;

  /** Null while it is not registered. */
  private ConsumerState state;

  private int attempted;
  private long attemptedLine;
  private long awayMicros;
  private boolean connected;
  private boolean closed;
  private boolean leaving;
  private Seek seeking;

  /** What this incarnation and those before do does not count: it has moved or gone. */
  private int overTo;

  Registration(Findings findings, Function<Subscribe, ConsumerState> newState) {
    this.findings = findings;
    this.newState = newState;
  }

  void subscribe(Subscribe subscribe) {
    if (subscribe.phase() == Phase.INVOKED) {
      if (subscribe.incarnation() <= attempted) {
        findings.invalid(
            List.of(subscribe.line()),
            "Incarnation %d of %s begins after incarnation %d.",
            subscribe.incarnation(),
            subscribe.name(),
            attempted);
      }
      attempted = subscribe.incarnation();
      attemptedLine = subscribe.line();
      awayMicros = connected || closed ? subscribe.micros() : awayMicros;
      connected = false;
      closed = false;
    } else if (subscribe.phase() == Phase.OK && subscribe.incarnation() == attempted) {
      connected = true;
      if (state == null || leaving) {
        state = newState.apply(subscribe);
      } else {
        if (seeking != null) {
          state.startAnywhere(subscribe.line(), subscribe.micros());
        }
        state.subscribed(subscribe);
      }
      leaving = false;
      seeking = null;
    }
  }

  /** The state if the event of this incarnation is about it; null if it does not count. */
  ConsumerState counts(int incarnation) {
    return state == null || incarnation <= overTo || incarnation != state.current().number
        ? null
        : state;
  }

  /** The same of a receipt, which may come when its incarnation is over. */
  ConsumerState countsReceipt(int incarnation) {
    return state == null || incarnation <= overTo || incarnation > state.current().number
        ? null
        : state;
  }

  /** Whether a message may be sent to this incarnation; if not, the history is wrong. */
  boolean mayReceive(int incarnation) {
    return state == null
        ? incarnation <= overTo
        : incarnation <= overTo || (connected && incarnation == state.current().number);
  }

  void seek(Seek seek) {
    if (state == null) {
      return;
    }
    if (seek.phase() == Phase.INVOKED) {
      seeking = seek;
    } else if (seeking != null && seeking.incarnation() == seek.incarnation()) {
      Id to = seeking.to();
      seeking = null;
      if (seek.phase() == Phase.FAILED) {
        state.seekFailed(to, seek.micros());
      } else if (seek.phase() == Phase.OK && to != null) {
        state.startAt(to, seek.line(), seek.micros());
      } else {
        state.startAnywhere(seek.line(), seek.micros());
      }
      if (seek.phase() != Phase.FAILED) {
        overTo = seek.incarnation();
        state.current().closed();
      }
    }
  }

  void unsubscribe(Unsubscribe unsubscribe) {
    int incarnation = unsubscribe.incarnation();
    if (state == null || incarnation < state.current().number) {
      return;
    }
    switch (unsubscribe.phase()) {
      case INVOKED -> leaving = true;
      case FAILED -> leaving = false;
      case OK, UNKNOWN -> gone(incarnation);
    }
  }

  void closed(Closed event) {
    overTo = Math.max(overTo, event.incarnation());
    if (event.incarnation() >= attempted) {
      closed = true;
      connected = false;
      if (state != null) {
        state.current().closed();
      }
    }
  }

  /** Its position may have been dropped while nobody was connected. */
  void expired() {
    if (!connected && state != null) {
      gone(state.current().number);
    }
  }

  private void gone(int incarnation) {
    state = null;
    overTo = Math.max(overTo, incarnation);
    leaving = false;
    seeking = null;
    connected = false;
  }

  /** Null unless it has a position, though it may be about to give that up. */
  ConsumerState registered() {
    return state;
  }

  /** Whether the mark-delete position must be before what it needs. */
  boolean holdsMarkDelete() {
    return state != null && !leaving && seeking == null;
  }

  /** Whether it wants to be sent messages. */
  boolean wantsMessages() {
    return state != null && !leaving && !closed;
  }

  boolean isConnected() {
    return connected;
  }

  /** When it first tried to come back. */
  long awayMicros() {
    return awayMicros;
  }

  /** Of the last attempt to subscribe. */
  long attemptedLine() {
    return attemptedLine;
  }

  /** How many objects it holds. */
  int size() {
    return 1 + (state == null ? 0 : state.size());
  }
}
