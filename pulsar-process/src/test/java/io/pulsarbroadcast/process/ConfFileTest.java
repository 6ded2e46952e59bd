/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
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
            "",
            "#brokerInterceptors=commented",
            "brokerInterceptors=",
            " spaced = value ",
            "twice=1",
            "twice=2"));
  }

  @Test
  void shouldReplaceAnExistingKeyInPlace() throws IOException {
    ConfFile.load(file).set("brokerInterceptors", "pulsar-broadcast").save();

    assertThat(Files.readAllLines(file))
        .containsSubsequence(
            "brokerServicePort=6650",
            "#brokerInterceptors=commented",
            "brokerInterceptors=pulsar-broadcast",
            "twice=1")
        .hasSize(8);
  }

  @Test
  void shouldAppendAMissingKey() throws IOException {
    ConfFile.load(file).set("broadcastSomething", "7").save();

    assertThat(Files.readAllLines(file)).hasSize(9).endsWith("broadcastSomething=7");
  }

  @Test
  void shouldLeaveOneLineOfAKeyThatWasThereTwice() throws IOException {
    ConfFile conf = ConfFile.load(file);
    assertThat(conf.get("twice")).contains("2");

    conf.set("twice", "3").save();

    assertThat(Files.readAllLines(file))
        .filteredOn(l -> l.startsWith("twice"))
        .containsExactly("twice=3");
  }

  @Test
  void shouldRemoveAKeyButNoComment() throws IOException {
    ConfFile.load(file).remove("brokerInterceptors").save();

    assertThat(Files.readAllLines(file))
        .contains("#brokerInterceptors=commented")
        .doesNotContain("brokerInterceptors=");
  }

  @Test
  void shouldReadWhatPulsarReads() throws IOException {
    String awkward = "C:\\data=1 # not a comment";
    ConfFile.load(file).set("awkward", awkward).save();

    Properties properties = new Properties();
    properties.load(Files.newBufferedReader(file));
    assertThat(properties).containsEntry("awkward", awkward).containsEntry("spaced", "value ");
    ConfFile conf = ConfFile.load(file);
    assertThat(conf.get("awkward")).contains(awkward);
    assertThat(conf.get("spaced")).contains("value");
    assertThat(conf.get("absent")).isEmpty();
  }

  @Test
  void shouldRefuseWhatIsNotOneLine() throws IOException {
    ConfFile conf = ConfFile.load(file);

    assertThatThrownBy(() -> conf.set("a b", "1")).hasMessageContaining("'a b'");
    assertThatThrownBy(() -> conf.set("key", "1\n2")).hasMessageContaining("key");
  }
}
