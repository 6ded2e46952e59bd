/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.pulsar.broker.service.StreamingStats;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.policies.data.stats.ConsumerStatsImpl;
import org.apache.pulsar.utils.StatsOutputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedStatsStreamTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 5, 9})
  void shouldLeaveOutConsumersPastTheLimitOfBroadcastSubscriptionsOnly(int limit) throws Exception {
    ByteBuf buffer = Unpooled.buffer();
    StatsOutputStream out = new StatsOutputStream(buffer);
    out.startObject();
    for (String topic : new String[] {"first", "second"}) {
      StatsOutputStream bounded = new BoundedStatsStream(out, Map.of("broadcast", limit));
      bounded.startObject(topic);
      bounded.startList("publishers");
      bounded.startObject().writePair("producerId", 1).endObject();
      bounded.endList();
      bounded.startObject("subscriptions");
      for (String subscription : new String[] {"stock", "broadcast", "another"}) {
        bounded.startObject(subscription);
        bounded.startList("consumers");
        for (int i = 0; i < 5; i++) {
          StreamingStats.writeConsumerStats(bounded, SubType.Exclusive, consumer("car-" + i));
        }
        bounded.endList();
        bounded.writePair("msgRateOut", 2.5).writePair("type", subscription);
        bounded.endObject();
      }
      bounded.endObject();
      bounded.writePair("blocked", false);
      bounded.endObject();
    }
    out.endObject();

    JsonNode written = new ObjectMapper().readTree(buffer.toString(StandardCharsets.UTF_8));

    for (String topic : new String[] {"first", "second"}) {
      JsonNode subscriptions = written.get(topic).get("subscriptions");
      assertThat(written.get(topic).get("publishers")).hasSize(1);
      assertThat(subscriptions.get("stock").get("consumers")).hasSize(5);
      assertThat(subscriptions.get("stock").has("consumersNotListed")).isFalse();
      assertThat(subscriptions.get("another").get("consumers")).hasSize(5);
      assertThat(subscriptions.get("broadcast").get("consumers")).hasSize(Math.min(5, limit));
      assertThat(subscriptions.get("broadcast").get("consumersNotListed").asInt())
          .isEqualTo(5 - Math.min(5, limit));
      assertThat(subscriptions.get("broadcast").get("msgRateOut").asDouble()).isEqualTo(2.5);
      assertThat(written.get(topic).get("blocked").asBoolean()).isFalse();
    }
  }

  private static ConsumerStatsImpl consumer(String name) {
    ConsumerStatsImpl stats = new ConsumerStatsImpl();
    stats.consumerName = name;
    stats.setAddress("/10.0.0.1:5000");
    stats.setConnectedSince("2026-01-01T00:00:00Z");
    stats.setClientVersion("Pulsar-Java");
    stats.metadata = Map.of("pulsar.subscription.type", "Broadcast");
    return stats;
  }
}
