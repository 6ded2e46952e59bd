/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.LogLines;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.naming.TopicName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeToLivePolicyTest {

  private static final TopicName TOPIC =
      TopicName.get("persistent://city/traffic/area-partition-7");

  private Map<String, String> ofTopic = Map.of();
  private CompletableFuture<Map<String, String>> ofPartitionedTopic = known(Map.of());
  private long now;
  private final TimeToLivePolicy policy =
      new TimeToLivePolicy(
          TOPIC, () -> ofTopic, () -> ofPartitionedTopic, 400, () -> TimeUnit.SECONDS.toNanos(now));

  @ParameterizedTest
  @CsvSource({
    "100, 200, 300, 100",
    "    , 200, 300, 200",
    "    ,    , 300, 300",
    "    ,    ,    , 400",
    "5000,    , 300, 5000",
    "   0,    , 300, 0",
  })
  void shouldTakeTheNearest(
      String topic, String partitionedTopic, String namespace, long expected) {
    ofTopic = property(topic);
    ofPartitionedTopic = known(property(partitionedTopic));
    policy.namespaceHas(property(namespace));
    assertThatLimitIs(expected);
  }

  @Test
  void shouldFollowChanges() {
    policy.namespaceHas(property("300"));
    assertThatLimitIs(300);
    ofTopic = property("100");
    assertThatLimitIs(300);
    now += 60;
    assertThatLimitIs(100);
    ofTopic = Map.of();
    policy.namespaceHas(null);
    assertThatLimitIs(400);
  }

  /** I1: nothing is dropped because something could not be read. */
  @Test
  void shouldLimitNothingWhileTheNamespaceIsNotKnown() {
    assertThatLimitIs(Long.MAX_VALUE / 1_000);
  }

  @Test
  void shouldLimitNothingWhileThePartitionedTopicIsNotKnown() {
    policy.namespaceHas(Map.of());
    ofPartitionedTopic = CompletableFuture.failedFuture(new IllegalStateException("no metadata"));
    assertThatLimitIs(Long.MAX_VALUE / 1_000);
    ofPartitionedTopic = known(property("200"));
    assertThatLimitIs(200);
    ofPartitionedTopic = new CompletableFuture<>();
    assertThatLimitIs(200);
  }

  /** I1: an operator removes the property, and sets it again. */
  @Test
  void shouldDropNothingWhileAPropertyIsAwayForAMoment() {
    policy.namespaceHas(Map.of());
    ofTopic = property("5000");
    assertThatLimitIs(5000);
    for (int i = 0; i < 3; i++) {
      ofTopic = Map.of();
      assertThatLimitIs(5000);
      now += 59;
      assertThatLimitIs(5000);
      ofTopic = property("5000");
      assertThatLimitIs(5000);
      now += 59;
    }
  }

  /** I1: the minute is that of the shortest. */
  @Test
  void shouldWaitAMinuteForEachThatIsShorter() {
    policy.namespaceHas(Map.of());
    ofTopic = property("5000");
    assertThatLimitIs(5000);
    ofTopic = property("3000");
    assertThatLimitIs(5000);
    now += 55;
    ofTopic = property("5");
    assertThatLimitIs(5000);
    now += 55;
    assertThatLimitIs(5000);
    ofTopic = property("3000");
    assertThatLimitIs(5000);
    now += 5;
    assertThatLimitIs(3000);
  }

  /** I1: nor for a mistake. */
  @ParameterizedTest
  @ValueSource(strings = {"abc", "-1", "1.5", "", " 60", "2147483648", "99999999999999999999"})
  void shouldLeaveTheTimeToLiveAsItWasWhileAValueIsNotAllowed(String value) {
    policy.namespaceHas(property("5000"));
    assertThatLimitIs(5000);
    ofTopic = property(value);
    assertThatLimitIs(5000);
    now += 3600;
    assertThatLimitIs(5000);
  }

  @Test
  void shouldLimitNothingAfterALoadWhileAValueIsNotAllowed() {
    policy.namespaceHas(property("30d"));
    assertThatLimitIs(Long.MAX_VALUE / 1_000);
    policy.namespaceHas(property("300"));
    assertThatLimitIs(300);
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "99999999999999999999"})
  void shouldSayOnceWhatIsNotAllowedAndAgainWhenItIsBack(String value) {
    List<String> lines =
        LogLines.of(
            TimeToLivePolicy.class,
            () -> {
              policy.namespaceHas(property(value));
              assertThatLimitIs(Long.MAX_VALUE / 1_000);
              assertThatLimitIs(Long.MAX_VALUE / 1_000);
              policy.namespaceHas(property("300"));
              assertThatLimitIs(300);
              policy.namespaceHas(property(value));
              assertThatLimitIs(300);
            });
    assertThat(lines)
        .hasSize(2)
        .allSatisfy(
            line ->
                assertThat(line)
                    .startsWith("WARN")
                    .contains(BroadcastContract.TTL_PROPERTY + "=" + value)
                    .contains("namespace city/traffic")
                    .contains("from 0 to 2147483647"));
  }

  private static Map<String, String> property(String value) {
    return value == null ? Map.of() : Map.of(BroadcastContract.TTL_PROPERTY, value);
  }

  private static <T> CompletableFuture<T> known(T properties) {
    return CompletableFuture.completedFuture(properties);
  }

  private void assertThatLimitIs(long seconds) {
    long millis = System.currentTimeMillis();
    CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
    registry.disconnect(registry.connect("a", Long.MAX_VALUE, () -> 0, 0));
    policy.limit(registry);
    assertThat(registry.expire(millis + (seconds - 1) * 1_000, 1).positions()).isZero();
    if (seconds < Integer.MAX_VALUE) {
      assertThat(registry.expire(millis + (seconds + 60) * 1_000, 1).positions()).isEqualTo(1);
    }
  }
}
