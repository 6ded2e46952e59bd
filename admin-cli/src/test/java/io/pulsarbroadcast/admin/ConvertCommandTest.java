/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static io.pulsarbroadcast.admin.FakeBroker.absent;
import static io.pulsarbroadcast.admin.FakeBroker.connected;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pulsarbroadcast.admin.Cli.Result;
import org.junit.jupiter.api.Test;

class ConvertCommandTest extends CommandTest {

  @Test
  void shouldForgetAllPositions() {
    broker.positions.add(absent("a", 3, 60));
    broker.positions.add(absent("b", 4, 60));
    Result result = cli.answering("y\n", "convert", "t", "-s", "alerts");
    assertThat(result.err()).contains("Forget 2 positions? [y/N]");
    assertThat(result.out())
        .isEqualTo(
            """
            Forgot 2 positions with 7 entries not acknowledged
            The next plain subscribe makes the subscription plain
            """);
    assertThat(broker.positions).isEmpty();
    assertThat(broker.requests).noneMatch(request -> request.method().equals("PUT"));
  }

  @Test
  void shouldRemoveTheTypeThatAnAdministratorSet() throws Exception {
    broker.subscriptionProperties.put("pulsar.subscription.type", "Broadcast");
    broker.subscriptionProperties.put("mine", "kept");
    JsonNode dryRun =
        Cli.json("convert", cli.run("convert", "t", "-s", "alerts", "--dry-run", "--json"));
    assertThat(dryRun.path("typePropertyRemoved").asBoolean()).isTrue();
    assertThat(broker.subscriptionProperties).hasSize(2);
    cli.run("convert", "t", "-s", "alerts", "--yes");
    assertThat(broker.subscriptionProperties).containsOnlyKeys("mine");
  }

  @Test
  void shouldRefuseWhileConsumersAreConnected() {
    broker.positions.add(connected("a", 3));
    broker.positions.add(absent("b", 3, 60));
    Result result = cli.run("convert", "t", "-s", "alerts", "--yes");
    assertThat(result.reason()).contains("1 consumer connected").contains(TOPIC);
    assertThat(broker.changes()).isEmpty();
  }

  @Test
  void shouldRefuseWhilePositionsAreLost() {
    broker.positionsLost = true;
    Result result = cli.run("convert", "t", "-s", "alerts", "--yes");
    assertThat(result.reason()).contains("clear-backlog");
  }

  @Test
  void shouldChangeNoPartitionIfOneRefuses() {
    broker.positions.add(absent("b", 3, 60));
    broker.hasSubscription = topic -> !topic.endsWith("-2");
    Result result = cli.run("convert", "p", "-s", "alerts", "--yes");
    assertThat(result.reason()).contains("Failed for 1 of 3 partitions");
    assertThat(broker.changes()).allMatch(change -> change.path("dryRun").asBoolean());
    assertThat(broker.positions).hasSize(1);
  }
}
