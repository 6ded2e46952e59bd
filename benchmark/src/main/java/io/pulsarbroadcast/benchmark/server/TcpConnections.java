/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Counts this process's TCP connections, as Linux shows them in /proc. Any thread may call it. */
public final class TcpConnections {
  /** Where there is no /proc. */
  public static final int UNKNOWN = -1;

  private static final Path SELF = Path.of("/proc/self");
  private static final List<String> TABLES = List.of("net/tcp", "net/tcp6");
  private static final String ESTABLISHED = "01";
  private static final int REMOTE_ADDRESS = 2;
  private static final int STATE = 3;
  private static final int INODE = 9;
  private static final int HEXADECIMAL = 16;

  private TcpConnections() {}

  /** Established connections of this process to these ports; or {@link #UNKNOWN}. */
  public static int to(Set<Integer> ports) throws IOException {
    if (!Files.exists(SELF.resolve(TABLES.get(0)))) {
      return UNKNOWN;
    }
    Set<String> own = sockets();
    int count = 0;
    for (String table : TABLES) {
      for (String line : Files.readAllLines(SELF.resolve(table))) {
        String[] fields = line.strip().split("\\s+");
        if (fields[STATE].equals(ESTABLISHED)
            && ports.contains(port(fields[REMOTE_ADDRESS]))
            && own.contains("socket:[" + fields[INODE] + "]")) {
          count++;
        }
      }
    }
    return count;
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1), HEXADECIMAL);
  }

  private static Set<String> sockets() throws IOException {
    Set<String> found = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(SELF.resolve("fd"))) {
      for (Path file : files) {
        try {
          found.add(Files.readSymbolicLink(file).toString());
        } catch (IOException e) {
          // Closed meanwhile.
        }
      }
    }
    return found;
  }
}
