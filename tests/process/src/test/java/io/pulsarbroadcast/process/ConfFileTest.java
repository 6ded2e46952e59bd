/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfFileTest {
  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void writeFile() throws IOException {
    file = folder.resolve("standalone.conf");
    Files.write(
        file,
        List.of(
            "# The port",
            "brokerServicePort=6650",
            "#unused=1",
            "empty=",
            " spaced = value ",
            "twice=1",
            "twice=2"));
  }

  @Test
  void shouldLeaveOneLineOfEachKey() throws IOException {
    ConfFile.edit(
        file,
        settings -> {
          assertThat(settings).as("the last one counts").containsEntry("twice", "2");
          settings.setProperty("twice", "3");
          settings.setProperty("new", "4");
          settings.remove("empty");
        });

    assertThat(Files.readAllLines(file))
        .containsExactlyInAnyOrder("brokerServicePort=6650", "spaced=value ", "twice=3", "new=4");
  }

  @Test
  void shouldReadWhatItWrote() throws IOException {
    String awkward = "C:\\data=1 # not a comment";

    ConfFile.edit(file, settings -> settings.setProperty("awkward", awkward));

    assertThat(ConfFile.read(file))
        .containsEntry("awkward", awkward)
        .containsEntry("empty", "")
        .containsEntry("spaced", "value ");
    assertThat(Files.readAllLines(file)).contains("awkward=C:\\\\data=1 # not a comment");
  }

  @Test
  void shouldRefuseWhatIsNotOneLine() throws IOException {
    List<String> before = Files.readAllLines(file);

    assertThatThrownBy(() -> ConfFile.edit(file, s -> s.setProperty("a b", "1")))
        .hasMessageContaining("'a b'");
    assertThatThrownBy(() -> ConfFile.edit(file, s -> s.setProperty("key", "1\n2")))
        .hasMessageContaining("key");
    assertThat(file).hasContent(String.join("\n", before));
  }
}
