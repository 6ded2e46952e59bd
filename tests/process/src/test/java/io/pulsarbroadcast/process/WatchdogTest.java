/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class WatchdogTest {
  @TempDir Path temp;

  @Test
  void shouldKillTheBrokerAndDeleteItsFolderWhenThePipeEnds()
      throws IOException, InterruptedException {
    Path folder = Files.createDirectory(temp.resolve("instance"));
    Process broker = new ProcessBuilder("sleep", "600").start();
    Watchdog watchdog = Watchdog.over(folder);
    watchdog.watch(broker.pid());

    watchdog.breakPipe();

    assertThat(broker.waitFor(1, TimeUnit.MINUTES)).isTrue();
    watchdog.dismiss();
    assertThat(folder).doesNotExist();
  }

  @Test
  void shouldDoNothingWhenAllIsCleanedUp() throws IOException, InterruptedException {
    Path folder = Files.createDirectory(temp.resolve("instance"));
    Process other = new ProcessBuilder("sleep", "600").start();
    Watchdog watchdog = Watchdog.over(folder);
    watchdog.watch(other.pid());
    watchdog.processGone();

    watchdog.dismiss();

    assertThat(other.isAlive()).isTrue();
    assertThat(folder).exists();
    other.destroyForcibly().waitFor();
  }
}
