/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.Locale;

/** Why entries were left out for consumers that had not acknowledged them (I6). */
public enum SkipCause {
  /** The position's consumer stayed away longer than the time to live. */
  POSITION_EXPIRY,
  /** They were older than the message time to live. */
  TTL,
  /** The backlog quota evicted them. */
  QUOTA,
  /** An operator skipped messages. */
  SKIP,
  /** An operator cleared the backlog. */
  CLEAR,
  /** Storage does not have them any more. */
  LOST;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
