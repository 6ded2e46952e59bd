/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

/** Why consumers of a Broadcast subscription miss entries that they have not acknowledged (I6). */
enum SkipCause {
  SKIPPED("an operator skipped messages"),
  CLEARED("an operator cleared the backlog"),
  RESET("an operator reset the subscription"),
  EXPIRED("messages expired: time to live, or an operator's expiry"),
  POSITION_EXPIRED("positions exceeded their time to live (broadcastCursorTimeToLiveSeconds)"),
  OTHER(
      "the broker moved the subscription: backlog quota, or truncation of the topic or its source");

  private final String text;

  SkipCause(String text) {
    this.text = text;
  }

  /** For the log. */
  String text() {
    return text;
  }
}
