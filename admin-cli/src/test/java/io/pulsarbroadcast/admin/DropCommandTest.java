/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static io.pulsarbroadcast.admin.FakeBroker.absent;
import static io.pulsarbroadcast.admin.FakeBroker.connected;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pulsarbroadcast.admin.Cli.Result;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DropCommandTest extends CommandTest {

  @BeforeEach
  void addPositions() {
    broker.positions.add(connected("car-1", 7));
    broker.positions.add(absent("car-2", 10, 100));
    broker.positions.add(absent("car-3", 20, 900_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"y", "yes", " YES "})
  void shouldShowWhatItWouldDropAskAndDrop(String answer) {
    Result result =
        cli.answering(answer + "\n", "drop", "t", "-s", "alerts", "--absent-longer-than", "7d");
    assertThat(result.failure()).isNull();
    assertThat(result.err())
        .isEqualTo(
            """
            Would drop 1 position with 20 entries not acknowledged; the backlog is 5 now
              car-3
            Drop 1 position? [y/N]\s""");
    assertThat(result.out())
        .isEqualTo(
            "Dropped 1 position with 20 entries not acknowledged; the backlog is 5\n  car-3\n");
    assertThat(broker.positions).extracting("name").containsExactly("car-1", "car-2");
    assertThat(broker.changes())
        .containsExactly(
            broker.json("{\"absentLongerThanSeconds\":604800,\"dryRun\":true}"),
            broker.json("{\"absentLongerThanSeconds\":604800,\"atMost\":1,\"dryRun\":false}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"n\n", "\n", "why\n"})
  void shouldDropNothingWithoutAYes(String answer) {
    Result result = cli.answering(answer, "drop", "t", "-s", "alerts", "--all");
    assertThat(result.out()).isEmpty();
    assertThat(result.reason())
        .contains("Nothing was changed")
        .contains("'" + answer.strip() + "'");
    assertThat(broker.positions).hasSize(3);
  }

  /** A topic is loaded while the question is asked: for a moment, everybody is absent. */
  @Test
  void shouldDropNoMoreThanItHasShown() {
    broker.afterDrop = () -> broker.positions.add(absent("car-4", 5, 1));
    Result result = cli.answering("y\n", "drop", "t", "-s", "alerts", "--all");
    assertThat(result.reason()).contains("3 positions match by now");
    assertThat(broker.positions).hasSize(4);
  }

  @Test
  void shouldDropANameInAnyScript() {
    String name = "Stra\u00dfe \u6771\u4eac \ud83d\ude97";
    broker.positions.add(absent(name, 20, 100));
    Result result = cli.run("drop", "t", "-s", "alerts", "-n", name, "--yes");
    assertThat(result.failure()).isNull();
    assertThat(broker.positions).extracting("name").doesNotContain(name);
  }

  @Test
  void shouldDropNothingWithoutAnybodyToAsk() {
    Result result = cli.run("drop", "t", "-s", "alerts", "--all");
    assertThat(result.reason()).contains("Nothing was changed").contains("--yes");
    assertThat(broker.positions).hasSize(3);
  }

  @Test
  void shouldNotAskWithYes() throws Exception {
    Result result = cli.run("drop", "t", "-s", "alerts", "--all", "--yes", "--json");
    assertThat(result.err()).isEmpty();
    JsonNode json = Cli.json("drop", result);
    assertThat(json.path("dryRun").asBoolean()).isFalse();
    assertThat(json.path("positions").asInt()).isEqualTo(2);
    assertThat(broker.positions).hasSize(1);
  }

  @Test
  void shouldOnlyShowInADryRun() throws Exception {
    Result result = cli.run("drop", "t", "-s", "alerts", "-n", "car-2", "--dry-run", "--json");
    JsonNode json = Cli.json("drop", result);
    assertThat(json.path("dryRun").asBoolean()).isTrue();
    assertThat(json.at("/names/0").asText()).isEqualTo("car-2");
    assertThat(broker.positions).hasSize(3);
  }

  @Test
  void shouldNotAskIfThereIsNothingToDrop() {
    Result result = cli.run("drop", "t", "-s", "alerts", "--name-prefix", "bus-");
    assertThat(result.failure()).isNull();
    assertThat(result.out()).startsWith("Would drop 0 positions");
  }

  @Test
  void shouldSendAllConditions() {
    cli.run(
        "drop",
        "t",
        "-s",
        "alerts",
        "--name-prefix",
        "car-",
        "--further-behind-than",
        "5",
        "--absent-longer-than",
        "90m",
        "--dry-run");
    assertThat(broker.changes())
        .containsExactly(
            broker.json(
                "{\"namePrefix\":\"car-\",\"absentLongerThanSeconds\":5400,"
                    + "\"furtherBehindThanEntries\":5,\"dryRun\":true}"));
  }

  @Test
  void shouldAskOnceForAllPartitionsAndDropWhereItCould() throws Exception {
    broker.hasSubscription = topic -> !topic.endsWith("-0");
    Result result = cli.answering("y\n", "drop", "p", "-s", "alerts", "-n", "car-2", "--json");
    assertThat(result.err())
        .containsOnlyOnce("[y/N]")
        .contains("Drop 2 positions?")
        .contains("Failed: ");
    JsonNode json = Cli.json("drop", result);
    assertThat(json.at("/partitions/0/error").asText()).contains("HTTP 404");
    assertThat(json.at("/partitions/1/dryRun").asBoolean(true)).isFalse();
    assertThat(result.reason()).contains("Failed for 1 of 3 partitions");
  }

  @Test
  void shouldSendANameAsItIs() {
    String name = "a \"quoted\" \ud83d\ude97 {name}";
    cli.run("drop", "t", "-s", "alerts", "-n", name, "--dry-run");
    assertThat(broker.changes().get(0).path("name").asText()).isEqualTo(name);
  }
}
