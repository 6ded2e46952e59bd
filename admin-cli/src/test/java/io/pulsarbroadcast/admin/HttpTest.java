/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static io.pulsarbroadcast.admin.FakeBroker.absent;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.admin.Cli.Result;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.impl.auth.AuthenticationToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests are made as pulsar-admin makes its own. */
class HttpTest extends CommandTest {

  @Test
  void shouldFollowRedirectsToTheOwnerWithTheBody() throws Exception {
    broker.positions.add(absent("car", 1, 60));
    try (FakeBroker other = new FakeBroker();
        Cli redirected = new Cli(other.url())) {
      other.owner = broker.url();
      assertThat(redirected.run("positions", "t", "-s", "alerts").out()).contains("car");
      Result result = redirected.run("drop", "t", "-s", "alerts", "-n", "car", "--yes");
      assertThat(result.failure()).isNull();
      assertThat(broker.positions).isEmpty();
      assertThat(broker.changes()).isEqualTo(other.changes()).hasSize(2);
    }
  }

  @Test
  void shouldAuthenticateAsPulsarAdminDoes() throws Exception {
    try (Cli authenticated =
        new Cli(
            PulsarAdmin.builder()
                .serviceHttpUrl(broker.url())
                .authentication(new AuthenticationToken("secret")))) {
      authenticated.run("drop", "t", "-s", "alerts", "--all", "--yes");
    }
    assertThat(broker.requests)
        .isNotEmpty()
        .allMatch(r -> "Bearer secret".equals(r.authorization()));
  }

  @Test
  void shouldTryAllHostsOfTheServiceUrl() throws Exception {
    try (Cli several =
        new Cli("http://127.0.0.1:" + closedPort() + "," + broker.url().substring(7))) {
      for (int i = 0; i < 3; i++) {
        assertThat(several.run("positions", "t", "-s", "alerts").failure()).isNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"positions t -s alerts", "settings"})
  void shouldSayThatTheBrokerHasNoPlugin(String line) {
    broker.hasPlugin = false;
    assertThat(cli.run(line.split(" ")).reason())
        .isEqualTo(
            """
            The broker's answer is HTTP 404

            Reason: The broker has no plugin pulsar-broadcast, or an older version without these commands""");
  }

  @Test
  void shouldSayThatThereIsNoAnswer() throws Exception {
    try (Cli alone = new Cli("http://127.0.0.1:" + closedPort())) {
      for (String topic : new String[] {"t", "p-partition-0"}) {
        assertThat(alone.run("positions", topic, "-s", "alerts").reason())
            .startsWith("No answer from the broker\n\nReason: Connection refused");
      }
    }
  }

  private static int closedPort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
