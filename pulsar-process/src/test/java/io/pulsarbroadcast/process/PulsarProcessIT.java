/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a real distribution, named by {@code -Dpulsar.home}; says why when it is skipped. */
@Timeout(300)
class PulsarProcessIT {
  private static final String TENANT = "/admin/v2/tenants/kept-over-a-crash";
  private Path pulsarHome;

  @BeforeEach
  void findDistribution() {
    String home = System.getProperty("pulsar.home", "");
    if (home.isEmpty()) {
      System.out.println("PulsarProcessIT is skipped: -Dpulsar.home names no distribution");
    }
    assumeTrue(!home.isEmpty(), "-Dpulsar.home names no distribution");
    pulsarHome = Path.of(home);
  }

  @Test
  void shouldComeBackOnTheSamePortsAndDataAfterACrash() throws IOException, InterruptedException {
    PulsarProcess pulsar =
        PulsarProcess.builder()
            .pulsarHome(pulsarHome)
            .name("crash")
            .keepLogs(Path.of("target/broker-logs"))
            .build();
    try (pulsar) {
      long firstPid = pulsar.start().pid();
      String urls = pulsar.serviceUrl() + pulsar.adminUrl();
      put(pulsar.adminUrl() + TENANT);

      pulsar.kill();
      assertThat(pulsar.isAlive()).isFalse();

      pulsar.start();
      assertThat(pulsar.pid()).isNotEqualTo(firstPid);
      assertThat(pulsar.serviceUrl() + pulsar.adminUrl()).isEqualTo(urls);
      assertThat(status("GET", pulsar.adminUrl() + TENANT, null)).isEqualTo(200);

      pulsar.stop();
      assertThat(pulsar.isAlive()).isFalse();
      pulsar.start();
      assertThat(status("GET", pulsar.adminUrl() + TENANT, null)).isEqualTo(200);
    }
    assertThat(pulsar.isAlive()).isFalse();
    assertThat(pulsar.instanceFolder()).doesNotExist();
  }

  @Test
  void shouldStartFromAClassPath() throws IOException, InterruptedException {
    String classPathFile = System.getProperty("pulsar.class.path.file", "");
    if (classPathFile.isEmpty()) {
      System.out.println("shouldStartFromAClassPath is skipped: no -Dpulsar.class.path.file");
    }
    assumeTrue(!classPathFile.isEmpty(), "-Dpulsar.class.path.file names no file");

    try (PulsarProcess pulsar =
        PulsarProcess.builder()
            .pulsarHome(pulsarHome)
            .classPath(Files.readString(Path.of(classPathFile)).strip())
            .name("class-path")
            .keepLogs(Path.of("target/broker-logs"))
            .build()) {
      pulsar.start();
      put(pulsar.adminUrl() + TENANT);

      pulsar.kill();
      pulsar.start();

      assertThat(status("GET", pulsar.adminUrl() + TENANT, null)).isEqualTo(200);
    }
  }

  private static void put(String url) throws IOException {
    assertThat(status("PUT", url, "{\"allowedClusters\":[\"standalone\"]}")).isEqualTo(204);
  }

  private static int status(String method, String url, String json) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setRequestMethod(method);
    if (json != null) {
      connection.setRequestProperty("Content-Type", "application/json");
      connection.setDoOutput(true);
      connection.getOutputStream().write(json.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    try {
      return connection.getResponseCode();
    } finally {
      connection.disconnect();
    }
  }
}
