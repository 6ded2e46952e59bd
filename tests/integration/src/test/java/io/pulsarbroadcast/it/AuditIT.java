/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who took or lost a position, in a log of its own. */
@ExtendWith(BrokerExtension.class)
class AuditIT {

  private static final String LOGGER = "io.pulsarbroadcast.audit";

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "127.0.0.2 is an address of the machine")
  void shouldSayThatAPositionWasTakenFromAnotherAddress(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    comeAndGo(broker.client(), topic);
    comeAndGo(broker.client(), topic);
    assertThat(audit(broker, topic)).as("from the same address").isEmpty();

    try (SpoilingProxy proxy =
            new SpoilingProxy(broker.process().serviceUrl(), InetAddress.getByName("127.0.0.2"));
        PulsarClient elsewhere = PulsarClient.builder().serviceUrl(proxy.serviceUrl()).build()) {
      comeAndGo(elsewhere, topic);
    }

    await().until(() -> audit(broker, topic).size() == 1);
    assertThat(audit(broker, topic).get(0))
        .contains(
            "Consumer \"car-1\" at 127.0.0.2 took the position that one at 127.0.0.1 had left");
  }

  private static void comeAndGo(PulsarClient client, String topic) throws Exception {
    Broker.broadcast(client, topic, "all", "car-1").subscribe().close();
  }

  @Test
  void shouldNameThePositionThatExpiredWithABacklog(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car =
        broker
            .broadcast(topic, "all", "car-1")
            .property("pulsar.broadcast.cursor.ttl.seconds", "3")
            .subscribe()) {
      Messages.publish(broker, topic, 0, 4);
    }

    await().until(() -> audit(broker, topic).size() == 1);
    assertThat(audit(broker, topic).get(0))
        .contains("1 positions expired with 4 unacknowledged entries in all, of \"car-1\"");
  }

  @Test
  void shouldNameThePositionsThatAnOperatorMovesAndDrops(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    comeAndGo(broker.client(), topic);
    Messages.publish(broker, topic, 0, 4);
    PositionsRequests positions = new PositionsRequests(broker.process().adminUrl(), topic, "all");
    positions.move(Map.of("name", "car-1", "to", "latest", "dryRun", true));
    positions.drop(Map.of("name", "car-1", "dryRun", true));
    String from = positions.list().position(0).get("markDeletePosition").asText();
    String to =
        positions
            .move(Map.of("name", "car-1", "to", "latest"))
            .body()
            .get("markDeletePosition")
            .asText();
    Messages.publish(broker, topic, 4, 6);
    positions.drop(Map.of("name", "car-1"));

    await().until(() -> audit(broker, topic).size() == 2);
    assertThat(audit(broker, topic).get(0))
        .contains("Position of \"car-1\" moved, from %s to %s".formatted(from, to));
    assertThat(audit(broker, topic).get(1))
        .contains("1 positions dropped with 2 unacknowledged entries in all, of \"car-1\"");
  }

  @Test
  void shouldNotNameARoleThatNobodyAuthenticated(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    comeAndGo(broker.client(), topic);
    HttpRequest forged =
        HttpRequest.newBuilder(
                URI.create(
                    broker.process().adminUrl()
                        + "/admin/v2/persistent/"
                        + topic.substring("persistent://".length())
                        + "/subscription/all/broadcast/positions/drop"))
            .header("Content-Type", "application/json")
            .header("X-Original-Principal", "admin")
            .POST(HttpRequest.BodyPublishers.ofString("{\"all\": true}"))
            .build();
    HttpClient.newHttpClient().send(forged, HttpResponse.BodyHandlers.discarding());

    await().until(() -> audit(broker, topic).size() == 1);
    assertThat(audit(broker, topic).get(0)).contains("1 positions dropped with");
  }

  private static List<String> audit(Broker broker, String topic) throws Exception {
    return broker.logLines(topic).stream().filter(line -> line.contains(LOGGER)).toList();
  }
}
