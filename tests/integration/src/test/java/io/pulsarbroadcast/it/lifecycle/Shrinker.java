/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

/** Leaves out operations of a failing sequence as long as it still fails. */
final class Shrinker {

  /** How long what must come may take; a sequence that fails does so mostly by waiting. */
  private static final long PATIENCE_MILLIS = 5_000;

  private Shrinker() {}

  /** A failing sequence, and how it fails. */
  record Failing(Sequence sequence, Difference difference) {
    String report() {
      return difference.getMessage() + System.lineSeparator() + sequence;
    }
  }

  static Failing shrunk(Clients clients, Failing failing) throws Exception {
    Failing shortest = failing;
    boolean shorter = true;
    while (shorter) {
      shorter = false;
      // From the end: what follows the failing operation goes first.
      for (int i = shortest.sequence.kept().size() - 1; i >= 0; i--) {
        Sequence candidate = shortest.sequence.without(i);
        try {
          Runner.run(clients, candidate, PATIENCE_MILLIS);
        } catch (Difference e) {
          shortest = new Failing(candidate, e);
          shorter = true;
        }
      }
    }
    return shortest;
  }
}
