/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.it.Bash.Result;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The packaged commands in the distribution's {@code bin/pulsar-admin}, against a real broker. */
@ExtendWith(BrokerExtension.class)
@Order(1)
class AdminCommandsIT {
  private static final String PARKED = "parked \"4711\" \u4e2d\u6587 \ud83d\ude97";

  /** One test, because each start of pulsar-admin takes seconds. */
  @Test
  void shouldFindMoveAndDropThePositionThatHoldsTheBacklog(Broker broker, @TempDir Path folder)
      throws Exception {
    String namespace = "public/" + UUID.randomUUID();
    broker.admin().namespaces().createNamespace(namespace);
    String topic = "persistent://" + namespace + "/area 7 \u00fc";
    AdminTool tool = AdminTool.install(folder, broker.process().adminUrl());
    broker.broadcast(topic, "alerts", PARKED).subscribe().close();
    try (Consumer<String> car = broker.broadcast(topic, "alerts", "car").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(car, 10)).isEqualTo(values(0, 10));
      JsonNode listed = json(tool.run("broadcast", "subscriptions", namespace, "--json"));
      assertThat(listed.at("/subscriptions/0/topic").asText()).isEqualTo(topic);
      assertThat(listed.at("/subscriptions/0/absent").asInt()).isEqualTo(1);
      Result positions = tool.run("broadcast", "positions", topic, "-s", "alerts");
      assertThat(positions.exitCode()).as(positions.err()).isZero();
      assertThat(positions.out())
          .startsWith("Subscription alerts of " + topic + ": backlog 10 entries")
          .containsSubsequence("Furthest behind: " + PARKED, "\n" + PARKED, "\ncar ");

      JsonNode moved =
          json(
              tool.run(
                  "broadcast",
                  "move",
                  topic,
                  "-s",
                  "alerts",
                  "-n",
                  PARKED,
                  "--to-position-of",
                  "car",
                  "--yes",
                  "--json"));
      assertThat(moved.path("skippedEntries").asInt()).isEqualTo(10);
      awaitBacklog(broker, topic, "alerts", 0);
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(10, 12));
      JsonNode position =
          json(tool.run("broadcast", "position", topic, "-s", "alerts", "-n", PARKED, "--json"));
      assertThat(position.at("/positions/0/lagEntries").asInt()).isEqualTo(2);

      Result unanswered = tool.run("broadcast", "drop", topic, "-s", "alerts", "-n", PARKED);
      assertThat(unanswered.exitCode()).isEqualTo(1);
      assertThat(unanswered.out()).isEmpty();
      assertThat(unanswered.err()).contains("Would drop 1 position", "Nothing was changed");
      Result dropped =
          tool.answering("y\n", "broadcast", "drop", topic, "-s", "alerts", "-n", PARKED);
      assertThat(dropped.exitCode()).as(dropped.err()).isZero();
      assertThat(dropped.out()).startsWith("Dropped 1 position with 2 entries not acknowledged");
      awaitBacklog(broker, topic, "alerts", 0);

      Result refused = tool.run("broadcast", "convert", topic, "-s", "alerts", "--yes");
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err()).contains("1 consumer connected");
    }
    Result wrong = tool.run("broadcast", "settings", "alerts");
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.err()).contains("'alerts'", "Usage: pulsar-admin broadcast settings");
    JsonNode settings = json(tool.run("broadcast", "settings", "--json"));
    assertThat(settings.at("/settings/broadcastAckExecutor").asText()).isEqualTo("io");
    JsonNode converted =
        json(tool.run("broadcast", "convert", topic, "-s", "alerts", "--yes", "--json"));
    assertThat(converted.path("positions").asInt()).isEqualTo(1);
    try (Consumer<String> plain =
        broker
            .client()
            .newConsumer(Schema.STRING)
            .topic(topic)
            .subscriptionName("alerts")
            .subscribe()) {
      assertThat(stats(broker, topic, "alerts").getType()).isEqualTo("Exclusive");
      publish(broker, topic, 12, 13);
      assertThat(receiveAndAck(plain, 1)).isEqualTo(values(12, 13));
    }
  }

  private static JsonNode json(Result result) throws IOException {
    assertThat(result.exitCode()).as(result.err()).isZero();
    return new ObjectMapper().readTree(result.out());
  }
}
