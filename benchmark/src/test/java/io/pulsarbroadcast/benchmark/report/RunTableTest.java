/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunTableTest {
  private final RunTable table = new RunTable();

  private static RunResult result(String driver, long slowestMicros) throws IOException {
    return SampleResults.result(
        SampleResults.plan("smoke-50", driver, 10), slowestMicros, List.of());
  }

  @Test
  void shouldPutTwoRunsSideBySideWithTheirRatio() throws IOException {
    RunResult broadcast = result("broadcast", 20_000);
    RunResult exclusive = result("exclusive", 90_000);
    table.add(RunTable.ALL_ROUNDS, broadcast);
    table.add(RunTable.ALL_ROUNDS, exclusive);
    table.addRatio(RunTable.ALL_ROUNDS, exclusive, broadcast);

    assertThat(table.text().lines().findFirst().orElseThrow())
        .contains("Broadcast", "Exclusive each", "Exclusive each / Broadcast");
    assertThat(table.text().lines().filter(line -> line.startsWith("end to end P99")).toList())
        .singleElement()
        .asString()
        .contains("19.8", "89.1", "4.5");
    assertThat(table.text()).contains("duplicates", "missing", "5,000", "complete");
  }

  @Test
  void shouldNotShowARatioOfOneRun() throws IOException {
    table.add(RunTable.ALL_ROUNDS, result("broadcast", 20_000));

    assertThat(table.text()).doesNotContain(" / ");
  }

  @Test
  void shouldKeepEachRoundButShowTheirSum() throws IOException {
    table.add("1", result("broadcast", 20_000));
    table.add("2", result("broadcast", 30_000));
    table.add(
        RunTable.ALL_ROUNDS,
        RunResult.merge(List.of(result("broadcast", 20_000), result("broadcast", 30_000))));

    assertThat(table.all().maps())
        .extracting(row -> row.get("round"))
        .containsExactly("1", "2", "all");
    assertThat(table.shown().maps()).hasSize(1);
  }

  @Test
  void shouldShowManyRunsAsRowsAndSayWhatWasNotTried() throws IOException {
    for (int i = 0; i < 6; i++) {
      table.add(RunTable.ALL_ROUNDS, result("broadcast", 20_000));
    }
    Plan plan = SampleResults.plan("smoke-50", "shared", 10);
    table.addSkipped(plan, "not tried: did not finish at 7");

    assertThat(table.text().lines()).as("header and rows").hasSize(8);
    assertThat(table.text()).contains("not tried: did not finish at 7");
  }
}
