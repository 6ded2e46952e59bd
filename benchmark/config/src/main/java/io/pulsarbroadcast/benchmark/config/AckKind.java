/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

/** How a consumer acknowledges. */
public enum AckKind {
  /** Each acknowledgement covers everything before it. */
  cumulative,
  /** Each message on its own. */
  individual,
  /** Never: every message stays in the backlog. */
  none
}
