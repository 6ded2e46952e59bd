/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static io.pulsarbroadcast.admin.FakeBroker.connected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.pulsarbroadcast.admin.Cli.Result;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MoveCommandTest extends CommandTest {

  @BeforeEach
  void addPosition() {
    broker.positions.add(connected("car", 7));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--to|earliest|to|earliest",
        "--to|latest|to|latest",
        "--to|12:34|messageId|12:34",
        "--to|1970-01-01T00:00:02Z|timestampMillis|2000",
        "--to|1970-01-01T01:00:02.5+01:00|timestampMillis|2500",
        "--to-position-of|latest|positionOf|latest",
      })
  void shouldMoveToAPlace(String option, String place, String field, String value) {
    Result result = cli.run("move", "t", "-s", "alerts", "-n", "car", option, place, "--yes");
    assertThat(result.failure()).isNull();
    assertThat(result.out())
        .isEqualTo(
            "Moved 1 position of car to 12:40, 3 entries behind; 6 entries skipped, and the backlog"
                + " is 5\n");
    JsonNode sent = broker.changes().get(1);
    assertThat(sent.path(field).asText()).isEqualTo(value);
    assertThat(sent.path("name").asText()).isEqualTo("car");
    assertThat(sent).hasSize(3);
  }

  @Test
  void shouldMoveToATimeAgo() {
    cli.run("move", "t", "-s", "alerts", "-n", "car", "--to", "-2h", "--dry-run");
    assertThat(broker.changes().get(0).path("timestampMillis").asLong())
        .isCloseTo(System.currentTimeMillis() - 7_200_000, within(60_000L));
  }

  @Test
  void shouldAskFirst() throws Exception {
    Result result =
        cli.answering("y\n", "move", "t", "-s", "alerts", "-n", "car", "--to", "latest", "--json");
    assertThat(result.err()).startsWith("Would move 1 position of car").endsWith("[y/N] ");
    assertThat(Cli.json("move", result).path("dryRun").asBoolean(true)).isFalse();
    assertThat(broker.changes())
        .extracting(b -> b.path("dryRun").asBoolean())
        .containsExactly(true, false);
  }

  @Test
  void shouldShowTheBrokersReason() {
    Result result = cli.run("move", "t", "-s", "alerts", "-n", "nobody", "--to", "latest");
    assertThat(result.reason())
        .isEqualTo("The broker's answer is HTTP 404\n\nReason: Consumer 'nobody' has no position");
  }

  @Test
  void shouldMoveOnEachPartition() throws Exception {
    Result result =
        cli.run("move", "p", "-s", "alerts", "-n", "car", "--to", "latest", "--yes", "--json");
    assertThat(Cli.json("move", result).path("partitions")).hasSize(3);
  }

  @Test
  void shouldNotMoveAllPartitionsToAMessageOfOne() {
    Result result = cli.run("move", "p", "-s", "alerts", "-n", "car", "--to", "12:34", "--yes");
    assertThat(result.reason()).contains("--to '12:34'").contains("p-partition-0");
    assertThat(broker.changes()).isEmpty();
    assertThat(
            cli.run("move", "p-partition-1", "-s", "alerts", "-n", "car", "--to", "12:34", "--yes")
                .failure())
        .isNull();
  }
}
