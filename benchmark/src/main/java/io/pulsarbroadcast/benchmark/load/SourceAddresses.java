/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * Where very many connections come from. Any thread may call it.
 *
 * <p>One source address has some 28,000 ports for connections to one broker, so on the loopback
 * interface further connections come from 127.0.0.2, 127.0.0.3 and so on.
 */
public final class SourceAddresses {
  static final int CONNECTIONS_PER_ADDRESS = 20_000;
  private static final int ADDRESSES_PER_BLOCK = 250;

  /** Files that are not connections: jars, sockets of the publisher, event loops. */
  private static final int OTHER_OPEN_FILES = 200;

  private SourceAddresses() {}

  /** The address to bind to, or null to leave it to the operating system. */
  static SocketAddress of(int connection, InetSocketAddress target) {
    int address = connection / CONNECTIONS_PER_ADDRESS;
    if (address == 0 || target.isUnresolved() || !target.getAddress().isLoopbackAddress()) {
      return null;
    }
    return new InetSocketAddress(
        "127.0.%d.%d".formatted(address / ADDRESSES_PER_BLOCK, 1 + address % ADDRESSES_PER_BLOCK),
        0);
  }

  /**
   * Checks that this process may open so many connections.
   *
   * @throws IllegalArgumentException saying how many it may
   */
  public static void checkOpenFiles(int connections) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
      long most = unix.getMaxFileDescriptorCount() - OTHER_OPEN_FILES;
      if (connections > most) {
        throw new IllegalArgumentException(
            "connections is %d; allowed: up to %d, because a process may have %d open files here (ulimit -n)"
                .formatted(connections, most, unix.getMaxFileDescriptorCount()));
      }
    }
  }
}
