/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResultTableTest {
  private final ResultTable table = new ResultTable(List.of("name", "count", "ms"));

  @BeforeEach
  void fill() {
    table.add(List.of("plain", 12_345, 1.2345));
    table.add(Arrays.asList("with, comma and \"quotes\"", null, Double.NaN));
  }

  @Test
  void shouldAlignColumnsForPeople() {
    assertThat(table.text().lines())
        .containsExactly(
            "name                        count     ms",
            "plain                      12,345   1.23",
            "with, comma and \"quotes\"        -      -");
  }

  @Test
  void shouldTurnRowsIntoColumns() {
    assertThat(table.transposedText().lines())
        .containsExactly(
            "name     plain   with, comma and \"quotes\"",
            "count   12,345                          -",
            "ms        1.23                          -");
  }

  @Test
  void shouldWriteCsvWithFullPrecision() {
    assertThat(table.csv())
        .isEqualTo(
            "name,count,ms\r\nplain,12345,1.2345\r\n\"with, comma and \"\"quotes\"\"\",,\r\n");
  }

  @Test
  void shouldGiveProgramsNullWhereThereIsNoFigure() {
    assertThat(table.maps().get(0)).containsEntry("count", 12_345).containsEntry("ms", 1.2345);
    assertThat(table.maps().get(1)).containsEntry("count", null).containsEntry("ms", null);
  }

  @Test
  void shouldRefuseARowOfAnotherWidth() {
    assertThatThrownBy(() -> table.add(List.of("short"))).hasMessage("1 cells for 3 columns");
  }
}
