/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PulsarProcessTest {
  @TempDir Path folder;

  @Test
  void shouldSetUpAFolderAsAnOperatorDoes() throws IOException {
    Path nar = Files.writeString(folder.resolve("pulsar-broadcast-broker-1.nar"), "nar");
    Path home = FakeDistribution.in(folder, "exit 0");

    try (PulsarProcess pulsar =
        PulsarProcess.builder()
            .pulsarHome(home)
            .nar(nar)
            .setting("broadcastSomething", "7")
            .build()) {
      Path root = pulsar.instanceFolder();
      Properties conf = ConfFile.read(root.resolve("conf/standalone.conf"));
      assertThat(root.resolve("lib")).isSymbolicLink();
      assertThat(root.resolve("bin/pulsar")).isExecutable();
      assertThat(root.resolve("interceptors/pulsar-broadcast-broker-1.nar")).hasContent("nar");
      assertThat(conf).containsEntry("brokerInterceptors", "pulsar-broadcast");
      assertThat(conf).containsEntry("broadcastSomething", "7");
      assertThat(pulsar.serviceUrl())
          .isEqualTo("pulsar://127.0.0.1:" + conf.getProperty("brokerServicePort"));
      assertThat(pulsar.adminUrl())
          .isEqualTo("http://127.0.0.1:" + conf.getProperty("webServicePort"));
    }
  }

  @Test
  void shouldTakeTheNarOutAndPutAnotherOneIn() throws IOException {
    Path nar = Files.writeString(folder.resolve("pulsar-broadcast-broker-1.nar"), "1");
    Path newer = Files.writeString(folder.resolve("pulsar-broadcast-broker-2.nar"), "2");

    try (PulsarProcess pulsar =
        PulsarProcess.builder()
            .pulsarHome(FakeDistribution.in(folder, "exit 0"))
            .nar(nar)
            .build()) {
      Path interceptors = pulsar.instanceFolder().resolve("interceptors");
      Path conf = pulsar.instanceFolder().resolve("conf/standalone.conf");

      pulsar.removeNar();
      assertThat(interceptors).isEmptyDirectory();
      assertThat(ConfFile.read(conf)).doesNotContainKey("brokerInterceptors");

      pulsar.installNar(nar);
      pulsar.installNar(newer);
      assertThat(interceptors).isDirectoryNotContaining("glob:**-1.nar");
      assertThat(interceptors).isDirectoryContaining("glob:**-2.nar");
      assertThat(ConfFile.read(conf)).containsEntry("brokerInterceptors", "pulsar-broadcast");
    }
  }

  @Test
  void shouldSayWhatTheLogSaidWhenThePulsarEndsEarly() throws IOException {
    Path home = FakeDistribution.in(folder, "echo a sentence in the log", "exit 3");

    try (PulsarProcess pulsar = PulsarProcess.builder().pulsarHome(home).build()) {
      assertThatThrownBy(pulsar::start)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("ended with code 3")
          .hasMessageContaining("a sentence in the log");
      assertThat(pulsar.isAlive()).isFalse();
    }
  }

  @Test
  void shouldKillAPulsarThatIsNotReadyInTime() throws IOException {
    Path home = FakeDistribution.in(folder, "exec sleep 60");

    try (PulsarProcess pulsar =
        PulsarProcess.builder().pulsarHome(home).startTimeout(Duration.ofMillis(300)).build()) {
      assertThatThrownBy(pulsar::start)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is not ready");
      assertThat(ProcessHandle.of(pulsar.pid()).filter(ProcessHandle::isAlive)).isEmpty();
    }
  }

  @Test
  void shouldStartAgainWhenTheBookieRenewsItsRegistrationForEver() throws IOException {
    Path starts = folder.resolve("starts");
    String round = "echo Lock on resource /ledgers/available/127.0.0.1:3181 was invalidated.";
    Path home =
        FakeDistribution.in(
            folder,
            "echo started >> " + starts,
            "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do "
                + round
                + "; done",
            "exec sleep 60");

    try (PulsarProcess pulsar = PulsarProcess.builder().pulsarHome(home).build()) {
      assertThatThrownBy(pulsar::start)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("renewed its registration for ever in each of 5 starts");
      assertThat(Files.readAllLines(starts)).hasSize(5);
      assertThat(pulsar.isAlive()).isFalse();
    }
  }

  @Test
  void shouldEndACommandThatRunsWhenItIsClosed() throws IOException {
    Path home = FakeDistribution.in(folder, "exec sleep 600");
    PulsarProcess pulsar = PulsarProcess.builder().pulsarHome(home).build();
    CompletableFuture<Throwable> failure =
        CompletableFuture.supplyAsync(
            () -> catchThrowable(() -> pulsar.run(List.of("initialize"))), NewThread.named("run"));
    while (!pulsar.isAlive() && !failure.isDone()) {
      Thread.onSpinWait();
    }

    pulsar.close();

    assertThat(ProcessHandle.of(pulsar.pid()).filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(failure.join())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("bin/pulsar initialize failed");
  }

  @Test
  void shouldSayWhatACommandSaidAndStartAfterIt() throws IOException, InterruptedException {
    Path home = FakeDistribution.in(folder, "echo did $1", "test $1 = good");

    try (PulsarProcess pulsar = PulsarProcess.builder().pulsarHome(home).build()) {
      assertThatThrownBy(() -> pulsar.run(List.of("bad")))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("bin/pulsar bad failed")
          .hasMessageContaining("did bad");
      pulsar.run(List.of("good"));
      assertThatThrownBy(pulsar::start).hasMessageContaining("did standalone");
    }
  }

  @Test
  void shouldKeepLogsAndNothingElse() throws IOException {
    Path kept = folder.resolve("kept");
    Path home = FakeDistribution.in(folder, "echo kept line", "exit 3");
    PulsarProcess pulsar = PulsarProcess.builder().pulsarHome(home).keepLogs(kept).build();
    assertThatThrownBy(pulsar::start).isInstanceOf(IOException.class);

    pulsar.close();

    Path root = pulsar.instanceFolder();
    assertThat(root).doesNotExist();
    assertThat(kept.resolve(root.getFileName()).resolve("pulsar.log"))
        .content()
        .contains("kept line");
    assertThat(home.resolve("lib/some.jar")).hasContent("jar");
  }

  @Test
  void shouldNameTheOptionThatIsWrong() throws IOException {
    Path home = FakeDistribution.in(folder, "exit 0");

    assertThatThrownBy(() -> PulsarProcess.builder().build()).hasMessageContaining("pulsarHome");
    assertThatThrownBy(() -> PulsarProcess.builder().pulsarHome(folder).build())
        .hasMessageContaining("pulsarHome");
    assertThatThrownBy(
            () -> PulsarProcess.builder().pulsarHome(home).nar(folder.resolve("no.nar")).build())
        .hasMessageContaining("no.nar");
    assertThatThrownBy(() -> PulsarProcess.builder().pulsarHome(home).heapMegabytes(1).build())
        .hasMessageContaining("heapMegabytes is 1");
  }
}
