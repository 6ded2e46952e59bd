/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Its settings, as a distribution shows them that does nothing else. */
@Timeout(60)
class BrokerClusterTest {
  @TempDir Path home;

  @Test
  void shouldLetASettingThatIsGivenGoOverItsOwn() throws IOException {
    Path conf = Files.createDirectories(home.resolve("conf"));
    Files.createFile(conf.resolve("standalone.conf"));
    Files.createFile(conf.resolve("broker.conf"));
    Path bin = Files.createDirectories(home.resolve("bin")).resolve("pulsar");
    Files.writeString(bin, "#!/bin/sh\ncat conf/standalone.conf\nexit 3\n");
    assertThat(bin.toFile().setExecutable(true)).isTrue();
    PulsarProcessBuilder options =
        PulsarProcess.builder().pulsarHome(home).setting("loadBalancerSheddingEnabled", "true");

    assertThatThrownBy(() -> BrokerCluster.start(options, 1, 1))
        .hasMessageContaining("loadBalancerSheddingEnabled=true")
        .hasMessageContaining("loadBalancerAutoBundleSplitEnabled=false")
        .hasMessageContaining("brokerDeleteInactiveTopicsEnabled=false");
  }
}
