/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 for WebSocket clients, which cannot set a consumer property, on a declared subscription. */
@ExtendWith(OperatedBroker.class)
class WebSocketIT {

  @Test
  void shouldGiveEachWebSocketConsumerEveryMessage(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    Subscriptions.declare(broker, topic, "all");
    WebSocketConsumer a = new WebSocketConsumer(broker, topic, "a");
    WebSocketConsumer b = new WebSocketConsumer(broker, topic, "b");
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
    publish(broker, topic, 0, 10);
    assertThat(a.receiveAndAck(10)).isEqualTo(values(0, 10));
    assertThat(b.receiveAndAck(10)).isEqualTo(values(0, 10));
    awaitBacklog(broker, topic, "all", 0);
    a.close();
    b.close();
  }

  /** A consumer of the broker's WebSocket service; its messages are JSON. */
  private static final class WebSocketConsumer implements WebSocket.Listener {
    private final ObjectMapper json = new ObjectMapper();
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final StringBuilder part = new StringBuilder();
    private final WebSocket socket;

    WebSocketConsumer(Broker broker, String topic, String name) throws Exception {
      String url =
          broker.process().adminUrl().replaceFirst("^http", "ws")
              + "/ws/v2/consumer/"
              + topic.replace("://", "/")
              + "/all?subscriptionType=Exclusive&consumerName="
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

    List<String> receiveAndAck(int count) throws Exception {
      List<String> values = new ArrayList<>();
      while (values.size() < count) {
        String text = messages.poll(1, TimeUnit.MINUTES);
        if (text == null) {
          break;
        }
        JsonNode message = json.readTree(text);
        values.add(
            new String(
                Base64.getDecoder().decode(message.get("payload").asText()),
                StandardCharsets.UTF_8));
        String ack = json.writeValueAsString(Map.of("messageId", message.get("messageId")));
        socket.sendText(ack, true).get(1, TimeUnit.MINUTES);
      }
      return values;
    }

    void close() throws Exception {
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "done").get(1, TimeUnit.MINUTES);
    }
  }
}
