/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static io.pulsarbroadcast.admin.FakeBroker.absent;
import static io.pulsarbroadcast.admin.FakeBroker.connected;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pulsarbroadcast.admin.Cli.Result;
import org.junit.jupiter.api.Test;

class PositionCommandTest extends CommandTest {

  @Test
  void shouldShowAPositionInDetail() {
    broker.positions.add(connected("car-1", 7));
    broker.positions.add(absent("car-10", 7, 60));
    assertThat(cli.run("position", "t", "-s", "alerts", "-n", "car-1").out())
        .isEqualTo(
            """
            Name:         car-1
            State:        connected
            Consumers:    1
            Durable:      yes
            Mark-delete:  12:34
            Lag:          7 entries
            Size:         700 B
            Absent:       -
            Time to live: 7d
            Expires in:   -
            Address:      /10.0.0.1:5
            """);
  }

  @Test
  void shouldShowAllNamesakes() throws Exception {
    broker.positions.add(connected("car", 7));
    broker.positions.add(absent("car", 70, 60));
    Result result = cli.run("position", "t", "-s", "alerts", "-n", "car", "--json");
    JsonNode json = Cli.json("position", result);
    assertThat(json.path("positions")).hasSize(2);
  }

  @Test
  void shouldFindTheLongestName() throws Exception {
    String name = "\u4e2d".repeat(1023) + "\u6587";
    broker.positions.add(connected("\u4e2d".repeat(1024), 7));
    broker.positions.add(connected(name, 6));
    Result result = cli.run("position", "t", "-s", "alerts", "-n", name, "--json");
    JsonNode json = Cli.json("position", result);
    assertThat(json.path("positions")).hasSize(1);
    assertThat(json.at("/positions/0/name").asText()).isEqualTo(name);
  }

  @Test
  void shouldSayThatThereIsNone() {
    Result result = cli.run("position", "t", "-s", "alerts", "-n", "nobody");
    assertThat(result.out()).isEmpty();
    assertThat(result.reason()).contains("nobody").contains("alerts").contains(TOPIC);
  }
}
