/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds TCP ports that nothing listens on. Any thread may call it.
 *
 * <p>The ports are below the range from which Linux (32768 and up) and macOS (49152 and up) take
 * the local port of an outgoing connection. A port of that range would be lost to some client while
 * the broker is down, or a client that reconnects to it would reach itself.
 *
 * <p>No port is given twice: a broker takes seconds until it listens on its ports, and meanwhile
 * they look free.
 */
public final class FreePorts {
  static final int LOWEST_PORT = 10_000;
  static final int HIGHEST_PORT = 29_999;
  private static final int MAX_ATTEMPTS = 1_000;

  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  /** Returns {@code count} free ports that this JVM has not been given before. */
  public static int[] find(int count) throws IOException {
    Set<Integer> found = new LinkedHashSet<>();
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (found.size() == count) {
        return found.stream().mapToInt(Integer::intValue).toArray();
      }
      int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT + 1);
      if (isFree(port) && GIVEN.add(port)) {
        found.add(port);
      }
    }
    throw new IOException(
        "Found only %d of %d free ports from %d to %d after %d attempts"
            .formatted(found.size(), count, LOWEST_PORT, HIGHEST_PORT, MAX_ATTEMPTS));
  }

  /** Whether something listens there. */
  static boolean takesConnections(String host, int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isFree(int port) {
    return canBind(new InetSocketAddress(port))
        && canBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  private static boolean canBind(InetSocketAddress address) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(address);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
