/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a cluster says when a part of it fails; {@code ProducersProcessIT} starts a real one. */
@Timeout(60)
class PulsarClusterTest {
  @TempDir Path folder;

  @Test
  void shouldSayWhatTheStorageLoggedAndLeaveNothing() throws IOException {
    Path home = FakeDistribution.in(folder, "echo a sentence of the $1", "exit 3");
    Files.write(home.resolve("conf/broker.conf"), List.of("clusterName="));
    Path logs = folder.resolve("logs");
    PulsarProcessBuilder options =
        PulsarProcess.builder()
            .pulsarHome(home)
            .keepLogs(logs)
            .name("cluster-test")
            .startTimeout(Duration.ofSeconds(30));

    assertThatThrownBy(() -> PulsarCluster.start(options, 2))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended with code 3")
        .hasMessageContaining("a sentence of the standalone");

    try (Stream<Path> kept = Files.list(logs)) {
      assertThat(kept.map(path -> path.getFileName().toString()))
          .filteredOn(name -> name.startsWith("pulsar-broadcast-cluster-test-"))
          .hasSize(3)
          .allSatisfy(
              name ->
                  assertThat(Path.of(System.getProperty("java.io.tmpdir"), name)).doesNotExist());
    }
  }

  @Test
  void shouldRefuseAClusterWithoutBrokers() {
    assertThatThrownBy(() -> PulsarCluster.start(PulsarProcess.builder(), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("brokers is 0; allowed: 1 or more");
  }
}
