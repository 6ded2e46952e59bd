/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortsTest {

  @Test
  void shouldFindDifferentPortsThatCanBeBound() throws IOException {
    int[] ports = FreePorts.find(5);

    assertThat(ports).hasSize(5).doesNotHaveDuplicates();
    for (int port : ports) {
      assertThat(port).isBetween(FreePorts.LOWEST_PORT, FreePorts.HIGHEST_PORT);
      new ServerSocket(port).close();
    }
  }

  @Test
  void shouldGiveNoPortTwiceThoughNobodyListensOnItYet() throws IOException {
    Set<Integer> given = new HashSet<>();
    for (int broker = 0; broker < 400; broker++) {
      for (int port : FreePorts.find(3)) {
        assertThat(given.add(port)).as("port %d of broker %d is new", port, broker).isTrue();
      }
    }
  }
}
