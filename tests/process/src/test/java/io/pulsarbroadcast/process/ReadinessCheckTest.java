/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadinessCheckTest {
  private static final String COORDINATOR =
      "/admin/v2/persistent/pulsar/system/transaction_coordinator_assign/partitions";

  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private HttpServer broker;

  @BeforeEach
  void startABrokerThatIsReadyWithoutTransactions() throws IOException {
    answers.put("/admin/v2/brokers/ready", "ok");
    answers.put("/admin/v2/namespaces/public/default", "{}");
    broker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    broker.createContext(
        "/",
        exchange -> {
          String answer = answers.get(exchange.getRequestURI().getPath());
          byte[] body = (answer == null ? "" : answer).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(
              answer == null ? 404 : 200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    broker.start();
  }

  @AfterEach
  void stop() {
    broker.stop(0);
  }

  private boolean isReady(boolean withTransactions) {
    String url = "http://127.0.0.1:" + broker.getAddress().getPort();
    return new ReadinessCheck(url, null, withTransactions).isReady();
  }

  @Test
  void shouldAskForTheBrokerAndTheDefaultNamespace() {
    assertThat(isReady(false)).isTrue();

    answers.remove("/admin/v2/namespaces/public/default");
    assertThat(isReady(false)).isFalse();
  }

  /** A standalone broker makes it after it has said that it is ready. */
  @Test
  void shouldWaitForTheTopicOfTheTransactionCoordinator() {
    assertThat(isReady(true)).as("no namespace").isFalse();

    answers.put(COORDINATOR, "{\"partitions\":0,\"deleted\":false}");
    assertThat(isReady(true)).as("no topic").isFalse();

    answers.put(COORDINATOR, "{\"partitions\":16,\"deleted\":false}");
    assertThat(isReady(true)).isTrue();
  }
}
