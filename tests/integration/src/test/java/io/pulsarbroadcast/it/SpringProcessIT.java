/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.SpringExample.RECEIVED;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConsumers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.BrokerExtension.WithoutPlugin;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Spring Boot applications of docs/examples, spring and spring-reactive: I1 and I4 on a broker
 * with the plugin; a clear failure that leaves nothing behind (I9) on one without.
 */
@Order(2)
@ExtendWith(BrokerExtension.class)
@Tag("complete")
class SpringProcessIT {
  private static final String NAMED = "spring.pulsar.consumer.name=car-1";

  @Test
  void shouldResumeASpringBootApplicationByItsName(Broker broker, @TempDir Path folder)
      throws Exception {
    String namespace = UUID.randomUUID().toString();
    String shortName = UUID.randomUUID().toString();
    String topic = "persistent://public/" + namespace + "/" + shortName;
    broker.admin().namespaces().createNamespace("public/" + namespace);
    try (Consumer<String> stock = broker.atOnce(topic, "alerts", "stock").subscribe()) {
      try (StartedProgram named =
              SpringExample.start(
                  broker,
                  folder,
                  "alerts.topic=" + shortName,
                  "spring.pulsar.defaults.topic.namespace=" + namespace,
                  NAMED);
          StartedProgram unnamed = SpringExample.start(broker, folder, "alerts.topic=" + topic)) {
        awaitConsumers(broker, topic, "alerts", 3, StartedProgram.TIMEOUT);
        Messages.publish(broker, topic, 0, 10);
        assertThat(Messages.receiveAndAck(stock, 10)).isEqualTo(Messages.values(0, 10));
        for (StartedProgram each : List.of(named, unnamed)) {
          assertThat(each.printed(RECEIVED, 10)).isEqualTo(Messages.values(0, 10));
        }
        awaitBacklog(broker, topic, "alerts", 0);
      }
      awaitConsumers(broker, topic, "alerts", 1);
      Messages.publish(broker, topic, 10, 15);
      Messages.receiveAndAck(stock, 5);
      try (StartedProgram again =
          SpringExample.start(broker, folder, "alerts.topic=" + topic, NAMED)) {
        assertThat(again.printed(RECEIVED, 5)).isEqualTo(Messages.values(10, 15));
      }
    }
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("alerts");
    assertThat(broker.admin().topics().getList("public/default"))
        .as("the plugin is asked for in the application's default namespace")
        .noneMatch(name -> name.endsWith(shortName));
  }

  /** Spring acknowledges cumulatively, as for every Exclusive consumer. */
  @Test
  void shouldAcknowledgeOnAllPartitions(Broker broker, @TempDir Path folder) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createPartitionedTopic(topic, 3);
    broker.admin().topics().createSubscription(topic, "alerts", MessageId.earliest);
    Messages.publish(broker, topic, 0, 30);
    try (StartedProgram example =
        SpringExample.start(broker, folder, "alerts.topic=" + topic, NAMED)) {
      assertThat(example.printed(RECEIVED, 30))
          .containsExactlyInAnyOrderElementsOf(Messages.values(0, 30));
      for (int partition = 0; partition < 3; partition++) {
        awaitBacklog(broker, topic + "-partition-" + partition, "alerts", 0);
      }
    }
  }

  @Test
  void shouldResumeAReactiveListenerByItsName(Broker broker, @TempDir Path folder)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> stock = broker.atOnce(topic, "alerts", "stock").subscribe()) {
      try (StartedProgram named =
          SpringExample.startReactive(broker, folder, "alerts.topic=" + topic, NAMED)) {
        awaitConsumers(broker, topic, "alerts", 2, StartedProgram.TIMEOUT);
        Messages.publish(broker, topic, 0, 10);
        assertThat(Messages.receiveAndAck(stock, 10)).isEqualTo(Messages.values(0, 10));
        assertThat(named.printed(RECEIVED, 10)).isEqualTo(Messages.values(0, 10));
        awaitBacklog(broker, topic, "alerts", 0);
      }
      awaitConsumers(broker, topic, "alerts", 1);
      Messages.publish(broker, topic, 10, 15);
      Messages.receiveAndAck(stock, 5);
      try (StartedProgram again =
          SpringExample.startReactive(broker, folder, "alerts.topic=" + topic, NAMED)) {
        assertThat(again.printed(RECEIVED, 5)).isEqualTo(Messages.values(10, 15));
      }
    }
  }

  @Test
  void shouldNotStartASpringBootApplicationOnABrokerWithoutThePlugin(
      @WithoutPlugin Broker plain, @TempDir Path folder) throws Exception {
    String topic = Broker.newTopic();
    plain.admin().topics().createNonPartitionedTopic(topic);
    try (StartedProgram example = SpringExample.start(plain, folder, "alerts.topic=" + topic)) {
      assertRefused(example, plain, topic);
    }
  }

  @Test
  void shouldNotStartAReactiveListenerOnABrokerWithoutThePlugin(
      @WithoutPlugin Broker plain, @TempDir Path folder) throws Exception {
    String topic = Broker.newTopic();
    plain.admin().topics().createNonPartitionedTopic(topic);
    try (StartedProgram example =
        SpringExample.startReactive(plain, folder, "alerts.topic=" + topic)) {
      assertRefused(example, plain, topic);
    }
  }

  private static void assertRefused(StartedProgram example, Broker plain, String topic)
      throws Exception {
    assertThat(example.exitCode()).as(example::output).isNotZero();
    assertThat(example.output())
        .contains("APPLICATION FAILED TO START")
        .contains("The broker that serves topic " + topic + " has no pulsar-broadcast plugin")
        .contains("Install the plugin on every broker");
    await()
        .untilAsserted(() -> assertThat(plain.admin().topics().getSubscriptions(topic)).isEmpty());
  }
}
