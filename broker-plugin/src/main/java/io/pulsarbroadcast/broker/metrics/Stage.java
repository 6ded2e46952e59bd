/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.Locale;

/** A stage on an entry's way through the broker, timed once per entry; see docs/metrics.md. */
public enum Stage {
  /** From the arrival of the publish until the managed ledger has it; a part of the next. */
  ACCEPT,
  /** From the arrival of the publish to the answer of storage, as the producer is told. */
  PERSIST,
  /** From the answer of storage to the entry's arrival at the tail reader. */
  NOTIFY,
  /** From there until the entry is handed to the connections. */
  PREPARE,
  /** From there until the first consumer's frame is written. */
  FIRST_WRITE,
  /** From the hand-over to the connections until the last consumer's frame is written. */
  LAST_WRITE;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
