/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricsPageTest {
  private static final String TEXT =
      String.join(
          "\n",
          "# TYPE reads counter",
          "reads{cluster=\"standalone\", success=\"false\"} 1",
          "reads{cluster=\"standalone\", success=\"true\"} 40.0 1700000000",
          "reads{cluster=\"other\",success=\"true\"} 2",
          "plain 1.5E3",
          "not a sample");

  private final MetricsPage page = MetricsPage.parse(TEXT);

  @Test
  void shouldAddUpTheSamplesWithALabel() {
    assertThat(page.sum("reads", "success=\"true\"")).isEqualTo(42);
    assertThat(page.sum("reads")).isEqualTo(43);
    assertThat(page.sum("reads", "success=\"true\"", "cluster=\"other\"")).isEqualTo(2);
    assertThat(page.sum("plain")).isEqualTo(1_500);
  }

  @Test
  void shouldTakeLineEndsInALabel() {
    String text = "a{topic=\"x\ry\"} 1\nb{topic=\"x\u2028y\"} 2";
    assertThat(MetricsPage.lines(text)).hasSize(2);
    assertThat(MetricsPage.parse(text).samples().get(0).labels()).containsEntry("topic", "x\ry");
    assertThat(MetricsPage.parse(text).sum("b")).isEqualTo(2);
  }

  @Test
  void shouldTellAMissingMetricFromZero() {
    assertThat(page.sum("absent")).isNaN();
  }

  @Test
  void shouldShowEachSampleWithItsLabels() {
    assertThat(page.samples()).extracting(MetricsPage.Sample::name).hasSize(4).contains("plain");
    assertThat(page.samples().get(1).labels())
        .isEqualTo(Map.of("cluster", "standalone", "success", "true"));
    assertThat(MetricsPage.parse("bucket{le=\"+Inf\"} +Inf").samples().get(0).value())
        .isEqualTo(Double.POSITIVE_INFINITY);
  }
}
