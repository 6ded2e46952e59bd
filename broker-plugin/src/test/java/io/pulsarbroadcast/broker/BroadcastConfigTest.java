/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BroadcastConfigTest {

  private final Properties properties = new Properties();

  @Test
  void shouldReadWhatIsSetAndDefaultTheRest() {
    properties.setProperty("broadcastMarkDeleteIntervalMillis", " 250 ");
    properties.setProperty("brokerServicePort", "6650");
    BroadcastConfig config = BroadcastConfig.from(properties);
    assertThat(config.markDeleteIntervalMillis()).isEqualTo(250);
    assertThat(config.catchUpReadMaxEntries()).isEqualTo(100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-5", "abc", "60001", ""})
  void shouldNameKeyValueAndWhatIsAllowed(String value) {
    properties.setProperty("broadcastMarkDeleteIntervalMillis", value);
    assertThatThrownBy(() -> BroadcastConfig.from(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("broadcastMarkDeleteIntervalMillis=" + value)
        .hasMessageContaining("from 1 to 60000");
  }

  @Test
  void shouldReadExecutorsAndNameTheAllowedOnes() {
    assertThat(BroadcastConfig.from(properties).ackExecutor())
        .isEqualTo(BroadcastConfig.AckThreads.IO);
    properties.setProperty("broadcastAckExecutor", "Random");
    assertThat(BroadcastConfig.from(properties).ackExecutor())
        .isEqualTo(BroadcastConfig.AckThreads.RANDOM);
    properties.setProperty("broadcastAckExecutor", "fastest");
    assertThatThrownBy(() -> BroadcastConfig.from(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("broadcastAckExecutor=fastest")
        .hasMessageContaining("io, random, subscription, topic");
  }

  @Test
  void shouldReadAFlagAndNameWhatIsAllowed() {
    assertThat(BroadcastConfig.from(properties).exposeTopicLevelHistograms()).isFalse();
    properties.setProperty("broadcastExposeTopicLevelHistograms", " True ");
    assertThat(BroadcastConfig.from(properties).exposeTopicLevelHistograms()).isTrue();
    properties.setProperty("broadcastExposeTopicLevelHistograms", "yes");
    assertThatThrownBy(() -> BroadcastConfig.from(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("broadcastExposeTopicLevelHistograms=yes")
        .hasMessageContaining("true, false");
  }

  @Test
  void shouldShowAllSettingsInUseAsTheyAreWritten() {
    properties.setProperty("broadcastMarkDeleteIntervalMillis", "250");
    properties.setProperty("broadcastAckExecutor", "Random");
    Map<String, Object> settings = BroadcastConfig.from(properties).settings();
    assertThat(settings)
        .containsEntry("broadcastMarkDeleteIntervalMillis", 250)
        .containsEntry("broadcastCursorTimeToLiveSeconds", 604_800)
        .containsEntry("broadcastAckExecutor", "random")
        .containsEntry("broadcastDispatchExecutor", "connection");
    assertThat(settings.keySet()).containsExactly(knownKeys());
  }

  private String[] knownKeys() {
    properties.setProperty("broadcastNonsense", "");
    String refusal =
        catchThrowableOfType(IllegalArgumentException.class, () -> BroadcastConfig.from(properties))
            .getMessage();
    return refusal.substring(refusal.indexOf("known are ") + 10).split(", ");
  }

  @Test
  void shouldBeDocumentedKeyByKey() throws IOException {
    String[] keys = knownKeys();
    assertThat(keys).hasSizeGreaterThan(10);
    String page = Files.readString(Path.of("..", "docs", "configure.md"));
    assertThat(keys).allMatch(key -> page.contains("| `" + key + "` |"));
  }

  @Test
  void shouldRefuseASettingItDoesNotKnow() {
    properties.setProperty("broadcastMarkDeleteInterval", "5");
    assertThatThrownBy(() -> BroadcastConfig.from(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("broadcastMarkDeleteInterval=5;")
        .hasMessageContaining("broadcastMarkDeleteIntervalMillis");
  }
}
