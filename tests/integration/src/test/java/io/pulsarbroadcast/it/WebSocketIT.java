/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConsumers;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** I1 for WebSocket clients, which cannot set a consumer property, on a declared subscription. */
@ExtendWith(OperatedBroker.class)
class WebSocketIT {

  @ParameterizedTest
  @EnumSource(names = {"Exclusive", "Shared"})
  void shouldGiveEachConsumerEveryMessageAndResumeByName(SubscriptionType type, Broker broker)
      throws Exception {
    String topic = newTopicWithDeclaredSubscription(broker);
    WebSocketConsumer a = new WebSocketConsumer(broker, topic, type, "a");
    WebSocketConsumer b = new WebSocketConsumer(broker, topic, type, "b");
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
    publish(broker, topic, 0, 10);
    assertThat(a.receiveAndAck(4)).isEqualTo(values(0, 4));
    assertThat(b.receiveAndAck(10)).isEqualTo(values(0, 10));
    // The service sends acknowledgements grouped, and its consumer's close can overtake them.
    awaitBacklog(broker, topic, "all", 6);

    a.close();
    awaitConsumers(broker, topic, "all", 1);
    WebSocketConsumer returned = new WebSocketConsumer(broker, topic, type, "a");
    publish(broker, topic, 10, 11);
    assertThat(returned.receiveAndAck(7)).isEqualTo(values(4, 11));
    assertThat(b.receiveAndAck(1)).isEqualTo(values(10, 11));
    awaitBacklog(broker, topic, "all", 0);
    returned.close();
    b.close();
  }

  /** In the ordered contract everything unacknowledged, in the unordered one that message. */
  @ParameterizedTest
  @CsvSource({"Exclusive, 3, 0", "Shared, 1, 1"})
  void shouldBeSentAgainWhatItAcknowledgesNegatively(
      SubscriptionType type, int messages, int redeliveryCount, Broker broker) throws Exception {
    String topic = newTopicWithDeclaredSubscription(broker);
    WebSocketConsumer a = new WebSocketConsumer(broker, topic, type, "a");
    WebSocketConsumer b = new WebSocketConsumer(broker, topic, type, "b");
    publish(broker, topic, 0, 3);
    List<JsonNode> first = a.receive(3);
    assertThat(valuesOf(first)).isEqualTo(values(0, 3));

    a.acknowledgeNegatively(first.get(0));
    List<JsonNode> again = a.receive(messages);
    assertThat(valuesOf(again)).isEqualTo(values(0, messages));
    assertThat(again)
        .allMatch(message -> message.get("redeliveryCount").intValue() == redeliveryCount);
    for (JsonNode message : first) {
      a.acknowledge(message);
    }
    publish(broker, topic, 3, 4);
    assertThat(a.receiveAndAck(1)).as("nothing else again").isEqualTo(values(3, 4));
    assertThat(b.receiveAndAck(4)).as("nothing again").isEqualTo(values(0, 4));
    awaitBacklog(broker, topic, "all", 0);
    a.close();
    b.close();
  }

  /** I1 and I3: its position and nothing else. */
  @Test
  void shouldDropThePositionOfWhoUnsubscribes(Broker broker) throws Exception {
    String topic = newTopicWithDeclaredSubscription(broker);
    WebSocketConsumer a = new WebSocketConsumer(broker, topic, SubscriptionType.Exclusive, "a");
    WebSocketConsumer b = new WebSocketConsumer(broker, topic, SubscriptionType.Exclusive, "b");
    publish(broker, topic, 0, 10);
    assertThat(b.receiveAndAck(10)).isEqualTo(values(0, 10));
    PositionsRequests positions = new PositionsRequests(broker.process().adminUrl(), topic, "all");
    assertThat(positions.list().names()).containsExactlyInAnyOrder("a", "b");
    awaitBacklog(broker, topic, "all", 10);

    a.unsubscribe();
    await().untilAsserted(() -> assertThat(positions.list().names()).containsExactly("b"));
    awaitBacklog(broker, topic, "all", 0);
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
    publish(broker, topic, 10, 12);
    assertThat(b.receiveAndAck(2)).isEqualTo(values(10, 12));
    awaitBacklog(broker, topic, "all", 0);

    a.close();
    WebSocketConsumer stranger =
        new WebSocketConsumer(broker, topic, SubscriptionType.Exclusive, "a");
    publish(broker, topic, 12, 13);
    assertThat(stranger.receiveAndAck(1)).as("the name is new").isEqualTo(values(12, 13));
    assertThat(b.receiveAndAck(1)).isEqualTo(values(12, 13));
    stranger.close();
    b.close();
  }

  private static String newTopicWithDeclaredSubscription(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    Subscriptions.declare(broker, topic, "all");
    return topic;
  }

  private static List<String> valuesOf(List<JsonNode> messages) {
    return messages.stream().map(WebSocketIT::valueOf).toList();
  }

  private static String valueOf(JsonNode message) {
    byte[] payload = Base64.getDecoder().decode(message.get("payload").asText());
    return new String(payload, StandardCharsets.UTF_8);
  }

  /** A consumer of the broker's WebSocket service; its messages and commands are JSON. */
  private static final class WebSocketConsumer implements WebSocket.Listener {
    private final ObjectMapper json = new ObjectMapper();
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final StringBuilder part = new StringBuilder();
    private final WebSocket socket;

    WebSocketConsumer(Broker broker, String topic, SubscriptionType type, String name)
        throws Exception {
      String url =
          broker.process().adminUrl().replaceFirst("^http", "ws")
              + "/ws/v2/consumer/"
              + topic.replace("://", "/")
              + "/all?subscriptionType="
              + type
              + "&negativeAckRedeliveryDelay=100&consumerName="
              + name;
      socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .buildAsync(URI.create(url), this)
              .get(1, TimeUnit.MINUTES);
    }

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        messages.add(part.toString());
        part.setLength(0);
      }
      webSocket.request(1);
      return null;
    }

    /** The next so many; fewer when no more come. */
    List<JsonNode> receive(int count) throws Exception {
      List<JsonNode> received = new ArrayList<>();
      while (received.size() < count) {
        String text = messages.poll(1, TimeUnit.MINUTES);
        if (text == null) {
          break;
        }
        received.add(json.readTree(text));
      }
      return received;
    }

    List<String> receiveAndAck(int count) throws Exception {
      List<JsonNode> received = receive(count);
      for (JsonNode message : received) {
        acknowledge(message);
      }
      return valuesOf(received);
    }

    void acknowledge(JsonNode message) throws Exception {
      send(Map.of("messageId", message.get("messageId")));
    }

    void acknowledgeNegatively(JsonNode message) throws Exception {
      send(Map.of("type", "negativeAcknowledge", "messageId", message.get("messageId")));
    }

    void unsubscribe() throws Exception {
      send(Map.of("type", "unsubscribe"));
    }

    private void send(Map<String, ?> command) throws Exception {
      socket.sendText(json.writeValueAsString(command), true).get(1, TimeUnit.MINUTES);
    }

    void close() throws Exception {
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "done").get(1, TimeUnit.MINUTES);
    }
  }
}
