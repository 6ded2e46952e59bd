/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DistributionTest {
  @TempDir Path temp;

  @Test
  void shouldUnpackOnce() throws IOException, InterruptedException {
    FakeDistribution.in(temp, "exit 0");
    Path tarGz = temp.resolve("pulsar.tar.gz");
    new ProcessBuilder("tar", "-czf", tarGz.toString(), "-C", temp.toString(), "fake-pulsar")
        .start()
        .waitFor();

    Path home = Distribution.unpack(tarGz, temp.resolve("unpacked"));

    assertThat(home.resolve("bin/pulsar")).isExecutable();
    Files.delete(tarGz);
    assertThat(Distribution.unpack(tarGz, temp.resolve("unpacked"))).isEqualTo(home);
  }

  @Test
  void shouldSayWhatTarSaid() {
    assertThatThrownBy(() -> Distribution.unpack(temp.resolve("absent.tar.gz"), temp))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("absent.tar.gz");
  }
}
