/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ClassHistogramTest {
  private static final String BEFORE =
      """
      123:
       num     #instances         #bytes  class name (module)
      -------------------------------------------------------
         1:           100           2400  java.lang.String (java.base@17.0.15)
         2:            10           1000  [B (java.base@17.0.15)
      Total           110           3400
      """;
  private static final String AFTER =
      """
         1:           200           4800  java.lang.String (java.base@17.0.15)
         2:            10           1000  [B (java.base@17.0.15)
         3:           100           6400  io.example.Consumer
      Total           310          12200
      """;

  @Test
  void shouldReadWhatJcmdPrints() {
    ClassHistogram histogram = ClassHistogram.parse(BEFORE);

    assertThat(histogram.totalBytes()).isEqualTo(3_400);
    assertThat(histogram.totalInstances()).isEqualTo(110);
    assertThat(histogram.rows())
        .containsExactly(
            new ClassHistogram.Row("java.lang.String", 100, 2_400),
            new ClassHistogram.Row("[B", 10, 1_000));
  }

  @Test
  void shouldSayWhatGrew() {
    assertThat(ClassHistogram.parse(AFTER).growthSince(ClassHistogram.parse(BEFORE)))
        .containsExactly(
            new ClassHistogram.Row("io.example.Consumer", 100, 6_400),
            new ClassHistogram.Row("java.lang.String", 100, 2_400),
            new ClassHistogram.Row("[B", 0, 0));
  }

  @Test
  void shouldRefuseSomethingElse() {
    assertThatThrownBy(() -> ClassHistogram.parse("no such process"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no such process");
  }

  @Test
  @Timeout(60)
  void shouldCountTheObjectsOfARunningJvm() throws IOException {
    ClassHistogram histogram = new Jcmd(ProcessHandle.current()).classHistogram();

    assertThat(histogram.totalBytes()).isPositive();
    assertThat(histogram.rows())
        .anyMatch(row -> row.className().equals("java.lang.String") && row.instances() > 0);
  }
}
