/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import org.junit.jupiter.api.Test;

class StageTimersTest {
  private static final String TOPIC = "persistent://public/default/workload-1";

  private static String timer(String topic, String stage, int count, double seconds) {
    String labels = "{cluster=\"c\",stage=\"" + stage + "\",topic=\"" + topic + "\",}";
    return String.format(
        "pulsar_broadcast_stage_seconds_count%s %d.0%npulsar_broadcast_stage_seconds_sum%s %s%n",
        labels, count, labels, seconds);
  }

  private static StageTimers read(String text, String... topics) {
    return StageTimers.read(MetricsPage.parse(text), List.of(topics));
  }

  @Test
  void shouldHaveMeansOfWhatPassedBetweenTwoLooks() {
    StageTimers before = read(timer(TOPIC, "persist", 10, 1), TOPIC);
    StageTimers after = read(timer(TOPIC, "persist", 30, 1.1), TOPIC);

    StageTimers between = after.since(before);

    assertThat(between.count("persist")).isEqualTo(20);
    assertThat(between.meanMicros().get("persist")).isBetween(4_999.0, 5_001.0);
    assertThat(between.asMap().get("persist")).contains(entry("count", 20L));
  }

  @Test
  void shouldCountOfItsOwnTopicOnlyAndOfAllItsPartitions() {
    String text =
        timer(TOPIC, "notify", 1, 1)
            + timer(TOPIC + "0", "notify", 100, 1)
            + timer(TOPIC + "-partition-0", "notify", 2, 0.002)
            + timer(TOPIC + "-partition-1", "notify", 2, 0.006);

    assertThat(read(text, TOPIC).count("notify")).isEqualTo(1);
    StageTimers ofPartitions = read(text, TOPIC + "-partition-0", TOPIC + "-partition-1");
    assertThat(ofPartitions.count("notify")).isEqualTo(4);
    assertThat(ofPartitions.meanMicros().get("notify")).isBetween(1_999.0, 2_001.0);
  }

  @Test
  void shouldHaveNoMeanOfAStageThatNothingPassed() {
    StageTimers once = read(timer(TOPIC, "prepare", 7, 0.5), TOPIC);

    assertThat(once.since(once).meanMicros()).isEmpty();
    assertThat(read("", TOPIC).meanMicros()).isEmpty();
  }
}
