/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ServerOptionsTest {
  @TempDir Path folder;

  @Command(name = "test")
  private static final class Sample {
    @Mixin private ServerOptions servers = new ServerOptions();
  }

  private static ServerOptions parse(String... arguments) {
    Sample sample = new Sample();
    new CommandLine(sample).parseArgs(arguments);
    return sample.servers;
  }

  @Test
  void shouldHaveOneDefaultForAllCommands() {
    assertThat(parse().heapMegabytes).isEqualTo(4_096);
    assertThat(parse().directMegabytes).isEqualTo(4_096);
    assertThat(parse("--broker-heap-mb", "900").heapMegabytes).isEqualTo(900);
  }

  @Test
  void shouldSayWhatElseIsAllowedWhenThereIsNothingToStart() throws IOException {
    Path home = Files.createDirectories(folder.resolve("bin")).getParent();
    Files.createFile(home.resolve("bin/pulsar"));
    String homeOption = "--pulsar-home=" + home;

    assertThatThrownBy(() -> parse().check(true, true, ", or --service-url"))
        .hasMessage(
            "--pulsar-home is null; allowed: a folder that has bin/pulsar, or --service-url");
    assertThatThrownBy(() -> parse(homeOption).check(true, true, ""))
        .hasMessage("--nar is null; allowed: the plugin's file");
    assertThatThrownBy(() -> parse(homeOption, "--nar=/no/such.nar").check(true, false, ""))
        .hasMessage("--nar is /no/such.nar; allowed: the plugin's file");
    assertThatNoException().isThrownBy(() -> parse(homeOption).check(true, false, ""));
  }
}
