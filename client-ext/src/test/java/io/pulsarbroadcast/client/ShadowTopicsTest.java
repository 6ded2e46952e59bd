/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShadowTopicsTest {

  private static final String SOURCE = "persistent://city/traffic/area";
  private static final String B = SOURCE + "-b";
  private static final String C = SOURCE + "-c";
  private static final int NAMES = 9_000;

  @Test
  void shouldGiveEachTopicAboutAsManyConsumers() {
    Map<String, Long> counts =
        topics(ShadowTopics.of(SOURCE, List.of(B, C))).values().stream()
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    assertThat(counts).containsOnlyKeys(SOURCE, B, C);
    assertThat(counts.values()).allMatch(count -> Math.abs(count - NAMES / 3) < 300);
  }

  @Test
  void shouldMoveOnlyThoseWhoComeToATopicOrWereThere() {
    Map<String, String> two = topics(ShadowTopics.of(SOURCE, List.of(B)));
    Map<String, String> three = topics(ShadowTopics.of(SOURCE, List.of(B, C)));
    two.forEach((name, topic) -> assertThat(three.get(name)).as(name).isIn(topic, C));
  }

  /** What stands for the same topics has the same names, in any program and version. */
  @Test
  void shouldNotDependOnHowTheTopicsAreWrittenOrOrdered() {
    ShadowTopics topics = ShadowTopics.of("persistent://public/default/a", List.of("b", "c"));
    ShadowTopics others = ShadowTopics.of("a", List.of(" public/default/c", "b", "c", "a"));
    assertThat(topics(topics)).isEqualTo(topics(others));
    assertThat(ShadowTopics.of("a", List.of("b", "c")).topicOf("car-4711"))
        .as("as sha256sum has it")
        .isEqualTo("persistent://public/default/b");
  }

  @Test
  void shouldTakeATopicWithoutShadows() {
    assertThat(ShadowTopics.of(SOURCE, List.of()).topicOf("car")).isEqualTo(SOURCE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "/",
        "a/b",
        "a/b/c/d",
        "persistent://a",
        "persistent://a/b",
        "persistent://a//c",
        "non-persistent://a/b/c"
      })
  void shouldRefuseWhatIsNoPersistentTopic(String topic) {
    assertThatThrownBy(() -> ShadowTopics.of(topic, List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + topic + "'");
    assertThatThrownBy(() -> ShadowTopics.of(SOURCE, List.of(topic)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("allowed are persistent://tenant/namespace/topic");
  }

  private static Map<String, String> topics(ShadowTopics topics) {
    return IntStream.range(0, NAMES)
        .mapToObj(i -> "car-" + i)
        .collect(Collectors.toMap(Function.identity(), topics::topicOf));
  }
}
