/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

/**
 * What a run measured that may have been stopped before its end. Immutable by convention; any
 * thread may read it.
 *
 * @param result what was reached
 * @param consumersSubscribed at the end of connecting
 * @param seconds the whole run took
 * @param stoppedBy why it did not come to its end, or null when it did
 */
public record RunOutcome(
    RunResult result, int consumersSubscribed, double seconds, String stoppedBy) {
  public boolean isComplete() {
    return stoppedBy == null && result.delivery().missing() == 0;
  }
}
