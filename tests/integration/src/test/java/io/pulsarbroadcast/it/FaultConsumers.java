/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Consumers of a broker with {@link PositionsFaults}, and what becomes of them. Stateless. */
final class FaultConsumers {

  private FaultConsumers() {}

  /** Publishes five messages, of which "car" acknowledges two before it leaves. */
  static void leaveCarAtTwo(Broker broker, String topic) throws Exception {
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(0, 2));
    }
  }

  /** "car" returns and gets the other three. */
  static void assertCarIsAtTwo(Broker broker, String topic) throws Exception {
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(2, 5));
      assertNothingMore(car);
    }
  }

  /** Subscribes with a client that does not try for long. */
  static void subscribeSoon(Broker broker, String topic, String name) throws Exception {
    try (PulsarClient client = brief(broker);
        Consumer<String> consumer = Broker.broadcast(client, topic, "all", name).subscribe()) {
      assertThat(consumer).as("should not have been answered").isNull();
    }
  }

  /** A subscribe fails, because no positions log of the topic can be opened. */
  static void assertRefusedWhileNoLogOpens(
      Broker broker, Path folder, String topic, ThrowingCallable subscribe) throws Exception {
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failToOpen();
    try {
      assertThatThrownBy(subscribe).isInstanceOf(PulsarClientException.class);
      assertThat(faultsOf(broker, topic)).as("times that it was tried").isPositive();
    } finally {
      faults.open();
    }
  }

  /** A client that does not try for long. */
  static PulsarClient brief(Broker broker) throws PulsarClientException {
    return PulsarClient.builder()
        .serviceUrl(broker.process().serviceUrl())
        .operationTimeout(6, TimeUnit.SECONDS)
        .lookupTimeout(6, TimeUnit.SECONDS)
        .build();
  }

  private static long faultsOf(Broker broker, String topic) throws IOException {
    return broker.logLines("Fault: cannot open", PositionsFaults.localNameOf(topic)).size();
  }

  /** As many consumers as one address may have on a topic. */
  static List<Consumer<String>> fillTopic(Broker broker, String topic) throws Exception {
    List<Consumer<String>> others = new ArrayList<>();
    for (int i = 0; i < PositionsFaults.MAX_CONSUMERS; i++) {
      others.add(broker.broadcast(topic, "other", "other-" + i).subscribe());
    }
    return others;
  }

  static void assertOneTooMany(ConsumerBuilder<String> consumer) {
    assertThatThrownBy(consumer::subscribe)
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessageContaining("Topic reached max same address consumers limit");
  }
}
