/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
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
}
