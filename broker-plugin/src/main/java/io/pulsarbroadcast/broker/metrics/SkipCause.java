/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

/** Why consumers of a Broadcast subscription miss entries that they have not acknowledged (I6). */
public enum SkipCause {
  SKIPPED("skip", "an operator skipped messages"),
  CLEARED("clear", "an operator cleared the backlog"),
  RESET("reset", "an operator reset the subscription"),
  EXPIRED("ttl", "messages expired: time to live, or an operator's expiry"),
  POSITION_EXPIRED(
      "position_expiry",
      "positions exceeded their time to live (broadcastCursorTimeToLiveSeconds, or"
          + " pulsar.broadcast.cursor.ttl.seconds of consumer, topic or namespace)"),
  POSITION_DROPPED("position_drop", "an operator dropped positions"),
  POSITION_MOVED("position_move", "an operator moved positions"),
  OTHER(
      "quota",
      "the broker moved the subscription: backlog quota, or truncation of the topic or its source"),
  ELSEWHERE(
      "elsewhere", "a broker without the plugin, or with a former one, moved the subscription"),
  LOST("lost", "storage does not have them any more");

  private final String label;
  private final String text;

  SkipCause(String label, String text) {
    this.label = label;
    this.text = text;
  }

  /** For the log. */
  public String text() {
    return text;
  }

  /** For metrics. */
  String label() {
    return label;
  }
}
