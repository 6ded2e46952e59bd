/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testcontainers.containers.PulsarContainer;
import org.testcontainers.utility.MountableFile;

/**
 * Pulsar's image with the NAR copied into it and one environment variable: no image of one's own.
 */
@ExtendWith(RequiresDocker.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class StandaloneContainerIT {

  private static final String TOPIC = "persistent://public/default/added";
  private static final int MESSAGES = 20;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  @Test
  void shouldServeBroadcastConsumersWithTheNarAddedToPulsarsImage() throws Exception {
    try (PulsarContainer pulsar =
        new PulsarContainer(Images.pulsar())
            .withStartupTimeout(START_TIMEOUT)
            .withCopyFileToContainer(
                MountableFile.forHostPath(Images.nar()),
                "/pulsar/interceptors/" + Images.nar().getFileName())
            .withEnv("PULSAR_PREFIX_brokerInterceptors", "pulsar-broadcast")
            .withEnv("PULSAR_MEM", "-Xms128m -Xmx512m -XX:MaxDirectMemorySize=512m")) {
      pulsar.start();
      List<String> expected = IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i).toList();
      try (PulsarClient client =
              PulsarClient.builder().serviceUrl(pulsar.getPulsarBrokerUrl()).build();
          PulsarAdmin admin =
              PulsarAdmin.builder().serviceHttpUrl(pulsar.getHttpServiceUrl()).build();
          Consumer<String> a = subscribe(client, "a");
          Consumer<String> b = subscribe(client, "b");
          Producer<String> producer = client.newProducer(Schema.STRING).topic(TOPIC).create()) {
        for (String value : expected) {
          producer.send(value);
        }
        assertThat(receiveAndAck(a)).isEqualTo(expected);
        assertThat(receiveAndAck(b)).isEqualTo(expected);
        assertThat(admin.topics().getStats(TOPIC).getSubscriptions().get("all").getType())
            .isEqualTo("Broadcast");
      }
    }
  }

  private static Consumer<String> subscribe(PulsarClient client, String name)
      throws PulsarClientException {
    return client
        .newConsumer(Schema.STRING)
        .topic(TOPIC)
        .subscriptionName("all")
        .consumerName(name)
        .property("pulsar.subscription.type", "Broadcast")
        .subscribe();
  }

  private static List<String> receiveAndAck(Consumer<String> consumer)
      throws PulsarClientException {
    List<String> values = new ArrayList<>();
    while (values.size() < MESSAGES) {
      Message<String> message = consumer.receive(1, TimeUnit.MINUTES);
      if (message == null) {
        break;
      }
      values.add(message.getValue());
      consumer.acknowledge(message);
    }
    return values;
  }
}
