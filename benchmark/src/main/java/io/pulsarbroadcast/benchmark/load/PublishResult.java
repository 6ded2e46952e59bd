/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.BitSet;

/**
 * What became of the published messages. Immutable by convention; any thread may read it.
 *
 * @param sent how many were handed to the producer, numbered from 0
 * @param acknowledged which of them the broker acknowledged
 * @param firstError why one was not, or null
 */
public record PublishResult(int sent, BitSet acknowledged, String firstError) {

  public int acknowledgedCount() {
    return acknowledged.cardinality();
  }
}
