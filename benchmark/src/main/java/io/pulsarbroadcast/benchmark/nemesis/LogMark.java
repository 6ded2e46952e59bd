/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;

/** The end that a node's log had. Any thread may call it. */
final class LogMark {
  private final Node node;
  private final int length;

  LogMark(Node node) {
    this(node, node.log().length());
  }

  private LogMark(Node node, int length) {
    this.node = node;
    this.length = length;
  }

  /** Before anything was logged. */
  static LogMark first(Node node) {
    return new LogMark(node, 0);
  }

  /** Whether it has logged this since. */
  boolean hasSince(String text) {
    return node.log().indexOf(text, length) >= 0;
  }
}
