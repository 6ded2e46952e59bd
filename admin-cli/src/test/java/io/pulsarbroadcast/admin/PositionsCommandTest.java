/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static io.pulsarbroadcast.admin.FakeBroker.absent;
import static io.pulsarbroadcast.admin.FakeBroker.connected;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pulsarbroadcast.admin.Cli.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PositionsCommandTest extends CommandTest {

  @Test
  void shouldSayWhoHoldsTheBacklogAndListThoseFurthestBehindFirst() {
    broker.positions.add(connected("car-1", 7));
    broker.positions.add(absent("car-2", 1234, 97_200));
    Result result = cli.run("positions", "t", "-s", "alerts");
    assertThat(result.failure()).isNull();
    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .isEqualTo(
            """
            Subscription alerts of persistent://public/default/t: backlog 1,234 entries (1.4 MiB), 1 connected, 1 absent
            Furthest behind: car-2, absent for 1d 3h, by 1,234 entries

            NAME   STATE        LAG       SIZE  ABSENT  EXPIRES IN  MARK-DELETE
            car-2  absent     1,234  120.5 KiB   1d 3h      5d 21h  12:3
            car-1  connected      7      700 B       -           -  12:34
            """);
  }

  @Test
  void shouldAskForWhatTheOptionsSay() {
    for (int i = 0; i < 5; i++) {
      broker.positions.add(absent("car-" + i, i, 10 - i));
    }
    broker.positions.add(connected("car-x", 1));
    Result result =
        cli.run(
            "positions",
            "t",
            "-s",
            "alerts",
            "--absent",
            "--sort",
            "age",
            "--name",
            "car-",
            "--offset",
            "1",
            "--limit",
            "2");
    assertThat(broker.requests.get(broker.requests.size() - 1).query())
        .containsEntry("state", "absent")
        .containsEntry("sort", "age")
        .containsEntry("namePrefix", "car-")
        .containsEntry("offset", "1")
        .containsEntry("limit", "2");
    assertThat(result.out())
        .contains("Furthest behind: car-4,")
        .containsSubsequence("\ncar-1 ", "\ncar-2 ")
        .doesNotContain("\ncar-0 ")
        .endsWith("2 of 5 that match; more with --offset 3\n");
  }

  @Test
  void shouldPrintJson() throws Exception {
    broker.positions.add(connected("car-1", 7));
    broker.positions.add(absent("car-2", 1234, 97_200));
    JsonNode json = Cli.json("positions", cli.run("positions", "t", "-s", "alerts", "--json"));
    assertThat(json.at("/furthestBehind/name").asText()).isEqualTo("car-2");
    assertThat(json.at("/positions/1/name").asText()).isEqualTo("car-1");
    assertThat(json.at("/positions/0/absentSeconds").asLong()).isEqualTo(97_200);
  }

  @Test
  void shouldPrintNoTableWithoutPositions() throws Exception {
    Result result = cli.run("positions", "t", "-s", "alerts");
    assertThat(result.out()).hasLineCount(1);
    Cli.json("positions", cli.run("positions", "t", "-s", "alerts", "--json"));
  }

  @Test
  void shouldSayThatPositionsWereLost() {
    broker.positionsLost = true;
    assertThat(cli.run("positions", "t", "-s", "alerts").out()).contains("Positions were lost");
  }

  @Test
  void shouldNotTakeANonDurablePositionForWhatHoldsTheBacklog() {
    broker.positions.add(
        new io.pulsarbroadcast.admin.rest.Position(
            "reader", "connected", 1, false, "1:1", 99, 99, null, null, null, "/10.0.0.1:1"));
    broker.positions.add(connected("car", 2));
    assertThat(cli.run("positions", "t", "-s", "alerts").out())
        .contains("Furthest behind: car, connected, by 2 entries");
  }

  /** So long a prefix does not fit into a request; what begins the same is filtered here. */
  @Test
  void shouldFindPositionsByAPrefixThatDoesNotFitIntoAUrl() throws Exception {
    String prefix = "\ud83d\ude97".repeat(500);
    for (int i = 0; i < 1500; i++) {
      broker.positions.add(absent(prefix.substring(0, 900) + i, 1, 1));
    }
    broker.positions.add(absent(prefix + "a", 1, 1));
    broker.positions.add(absent(prefix + "b", 1, 1));
    Result result =
        cli.run("positions", "t", "-s", "alerts", "--name", prefix, "--offset", "1", "--json");
    JsonNode json = Cli.json("positions", result);
    assertThat(json.path("matching").asInt()).isEqualTo(2);
    assertThat(json.path("offset").asInt()).isEqualTo(1);
    assertThat(json.path("positions")).hasSize(1);
    assertThat(json.at("/positions/0/name").asText()).isEqualTo(prefix + "b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a \"quoted\" & 'odd' name+%7B{x}?#",
        "\u00fc\u4e2d\ud83d\ude97",
        "@file",
        "a/b\\c",
      })
  void shouldRoundTripAName(String name) throws Exception {
    broker.positions.add(connected(name, 7));
    broker.positions.add(connected("other", 7));
    Result result = cli.run("positions", "t", "-s", name, "--name", name, "--json");
    JsonNode json = Cli.json("positions", result);
    assertThat(json.path("subscription").asText()).isEqualTo(name);
    assertThat(json.path("positions")).hasSize(1);
    assertThat(json.at("/positions/0/name").asText()).isEqualTo(name);
    assertThat(result.out().chars()).allMatch(c -> c == '\n' || (c >= ' ' && c <= '~'));
    assertThat(cli.run("positions", "t", "-s", name).out()).contains(name);
  }

  @Test
  void shouldNotLetANameControlTheTerminal() throws Exception {
    String name = "a\u001b[31m\u009b\u007f\u202e\nb";
    broker.positions.add(connected(name, 7));
    assertThat(cli.run("positions", "t", "-s", "alerts").out()).contains("a?[31m????b  connected");
    Result json = cli.run("positions", "t", "-s", "alerts", "--json");
    assertThat(json.out().chars()).allMatch(c -> c == '\n' || (c >= ' ' && c <= '~'));
    assertThat(Cli.json("positions", json).at("/positions/0/name").asText()).isEqualTo(name);
  }

  @Test
  void shouldListEachPartition() throws Exception {
    broker.positions.add(connected("car", 7));
    Result result = cli.run("positions", "p", "-s", "alerts");
    assertThat(result.out())
        .containsSubsequence(
            "persistent://public/default/p-partition-0\n",
            "car",
            "persistent://public/default/p-partition-2\n",
            "car");
    JsonNode json = Cli.json("positions", cli.run("positions", "p", "-s", "alerts", "--json"));
    assertThat(json.path("partitions")).hasSize(3);
  }

  @Test
  void shouldListOnePartition() {
    Result result = cli.run("positions", "p-partition-1", "-s", "alerts");
    assertThat(result.out()).contains("alerts of persistent://public/default/p-partition-1:");
    assertThat(broker.requests).noneMatch(request -> request.path().endsWith("/partitions"));
  }

  @Test
  void shouldListTheOtherPartitionsAndFailIfOneFails() throws Exception {
    broker.hasSubscription = topic -> !topic.endsWith("-1");
    Result result = cli.run("positions", "p", "-s", "alerts", "--json");
    JsonNode json = Cli.json("positions", result);
    assertThat(json.at("/partitions/1/error").asText()).contains("not found");
    assertThat(json.at("/partitions/2/subscription").asText()).isEqualTo("alerts");
    assertThat(result.reason())
        .contains("Failed for 1 of 3 partitions of persistent://public/default/p")
        .contains("p-partition-1: The broker's answer is HTTP 404: Subscription alerts not found");
    assertThat(cli.run("positions", "p", "-s", "alerts").out()).contains("Failed: ");
  }

  @Test
  void shouldPrintNothingIfAllPartitionsFail() {
    broker.hasSubscription = topic -> false;
    Result result = cli.run("positions", "p", "-s", "alerts", "--json");
    assertThat(result.out()).isEmpty();
    assertThat(result.reason()).contains("Failed for 3 of 3 partitions");
  }
}
