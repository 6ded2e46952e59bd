/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;
import io.pulsarbroadcast.cluster.PulsarContainers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** What ZooKeeper says of its sessions. Immutable; any thread may use it. */
record ZooKeeperDump(String text) {
  private static final int TIMEOUT_MILLIS = 3_000;

  /** Asks it, by one of its four-letter words. */
  static ZooKeeperDump of(Node zookeeper) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(
          new InetSocketAddress(zookeeper.address(), PulsarContainers.ZOOKEEPER_PORT),
          TIMEOUT_MILLIS);
      socket.getOutputStream().write("dump".getBytes(StandardCharsets.US_ASCII));
      String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!text.contains("ephemeral nodes")) {
        throw new IOException("ZooKeeper does not say what ephemeral nodes it has: " + text);
      }
      return new ZooKeeperDump(text);
    }
  }

  /** Whether a session has this node. */
  boolean hasEphemeral(String path) {
    return text.lines().anyMatch(line -> line.strip().equals(path));
  }
}
