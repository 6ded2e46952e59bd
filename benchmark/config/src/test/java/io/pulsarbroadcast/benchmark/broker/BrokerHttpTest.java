/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BrokerHttpTest {
  private HttpServer broker;
  private String url;

  /** Answers what it was asked; with 409 what is there already, and with a redirect a move. */
  @BeforeEach
  void start() throws IOException {
    broker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    broker.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String path = exchange.getRequestURI().getPath();
          String token = exchange.getRequestHeaders().getFirst("Authorization");
          byte[] answer =
              String.join(" ", exchange.getRequestMethod(), path, body, String.valueOf(token))
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Location", url + "/owner");
          int status = path.equals("/there") ? 409 : path.equals("/moved") ? 307 : 200;
          exchange.sendResponseHeaders(status, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    broker.start();
    url = "http://127.0.0.1:" + broker.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    broker.stop(0);
  }

  @Test
  void shouldNameWhatWasAskedAndAnsweredWhenTheStatusIsWrong() {
    assertThatThrownBy(() -> new BrokerHttp().send("PUT", url + "/there"))
        .isInstanceOf(IOException.class)
        .hasMessage("PUT " + url + "/there was answered with 409: PUT /there  null");
    assertThatThrownBy(() -> new BrokerHttp().sendAsync("PUT", url + "/there", "{}").get())
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(IOException.class)
        .hasStackTraceContaining("PUT /there {} null");
  }

  @Test
  void shouldTakeAStatusThatIsAsGood() throws Exception {
    assertThat(new BrokerHttp().send("PUT", url + "/there", 409)).startsWith("PUT /there");
    assertThat(new BrokerHttp().sendAsync("PUT", url + "/there", "1", 409).get())
        .isEqualTo("PUT /there 1 null");
  }

  @Test
  void shouldFollowTheBrokerThatSendsItToTheOwner() throws Exception {
    assertThat(new BrokerHttp().get(url + "/moved")).startsWith("GET /owner");
  }

  @Test
  void shouldShowItsCredentials() throws Exception {
    BrokerHttp http =
        new BrokerHttp(Duration.ofMinutes(1), null, () -> Map.of("Authorization", "Bearer me"));

    assertThat(http.get(url + "/a")).isEqualTo("GET /a  Bearer me");
  }
}
