/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ConsumerFleetTest {
  private static final int ACCEPT_QUEUE = 1_024;
  private static final int MILLIS_WITHOUT_ANOTHER = 300;

  /** A kernel completes what a server has not accepted yet, until its accept queue overflows. */
  @Test
  @Timeout(60)
  void shouldNotOpenMoreConnectionsThanTheServerAnswers() throws Exception {
    List<Socket> accepted = new ArrayList<>();
    try (ServerSocket server = new ServerSocket(0, ACCEPT_QUEUE, InetAddress.getLoopbackAddress());
        ConsumerFleet fleet = new ConsumerFleet(config(server.getLocalPort()))) {
      fleet.start();
      for (int i = 0; i < ConnectGate.MAX_OPENING; i++) {
        accepted.add(server.accept());
      }
      server.setSoTimeout(MILLIS_WITHOUT_ANOTHER);
      assertThatThrownBy(server::accept)
          .as("none of %d connections is answered", ConnectGate.MAX_OPENING)
          .isInstanceOf(SocketTimeoutException.class);

      accepted.get(0).close();

      server.setSoTimeout(0);
      accepted.add(server.accept());
      assertThat(accepted).hasSize(ConnectGate.MAX_OPENING + 1);
    } finally {
      for (Socket socket : accepted) {
        socket.close();
      }
    }
  }

  private static LoadConfig config(int port) {
    return LoadConfig.builder()
        .serviceUrl("pulsar://127.0.0.1:" + port)
        .topic("persistent://public/default/connecting")
        .consumers(2 * ConnectGate.MAX_OPENING)
        .connections(2 * ConnectGate.MAX_OPENING)
        .ioThreads(1)
        .messages(1)
        .reconnect(true)
        .broadcast("connecting")
        .build();
  }
}
