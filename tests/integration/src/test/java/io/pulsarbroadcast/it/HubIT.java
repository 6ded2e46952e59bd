/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.publishBatches;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.apache.pulsar.client.api.SubscriptionInitialPosition.Earliest;
import static org.apache.pulsar.client.api.SubscriptionInitialPosition.Latest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.client.hub.BroadcastHub;
import io.pulsarbroadcast.client.hub.BroadcastHubBuilder;
import io.pulsarbroadcast.client.hub.HubSession;
import io.pulsarbroadcast.client.hub.SessionTooFarBehindException;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many sessions of one consumer: I1 to I4 and I8, of sessions as of consumers. */
@ExtendWith(BrokerExtension.class)
class HubIT {
  private static final int PARTITIONS = 3;

  /** A session, and all that it has received. */
  private static final class Car implements Flow.Subscriber<Message<String>> {
    private final boolean acknowledges;
    private final List<String> values = new CopyOnWriteArrayList<>();
    private final List<MessageId> ids = new CopyOnWriteArrayList<>();
    private volatile HubSession session;
    private volatile Throwable error;
    private volatile boolean complete;

    private Car(boolean acknowledges) {
      this.acknowledges = acknowledges;
    }

    /** One that requests everything, and acknowledges each message or none. */
    static Car open(
        BroadcastHub<String> hub,
        String name,
        SubscriptionInitialPosition start,
        boolean acknowledges) {
      Car car = new Car(acknowledges);
      car.session = hub.open(name, start, car);
      car.session.request(Long.MAX_VALUE);
      return car;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(Message<String> message) {
      values.add(message.getValue());
      ids.add(message.getMessageId());
      if (acknowledges) {
        session.acknowledge(message.getMessageId());
      }
    }

    @Override
    public void onError(Throwable throwable) {
      error = throwable;
    }

    @Override
    public void onComplete() {
      complete = true;
    }

    void awaitValues(List<String> expected) {
      await().untilAsserted(() -> assertThat(values).hasSizeGreaterThanOrEqualTo(expected.size()));
      assertThat(values).isEqualTo(expected);
    }

    /** Acknowledges as a program does that has got the id from elsewhere. */
    void acknowledge(int index) throws Exception {
      session.acknowledge(MessageId.fromByteArray(ids.get(index).toByteArray()));
    }
  }

  private static BroadcastHubBuilder<String> hub(PulsarClient client, String topic) {
    return BroadcastHub.builder(
            BroadcastClient.wrap(client)
                .newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("all")
                .subscriptionType(SubscriptionType.Broadcast)
                .acknowledgmentGroupTime(10, TimeUnit.MILLISECONDS)
                .consumerName("gateway"))
        .resumeTime(Duration.ZERO);
  }

  private static BroadcastHub<String> open(Broker broker, String topic)
      throws PulsarClientException {
    return hub(broker.client(), topic).subscribe();
  }

  @Test
  void shouldGiveEverySessionEverythingAndFollowTheSlowest(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastHub<String> hub = open(broker, topic)) {
      List<Car> cars = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        cars.add(Car.open(hub, "car-" + i, Latest, true));
      }
      Car slow = Car.open(hub, "slow", Latest, false);
      publish(broker, topic, 0, 20);
      cars.forEach(car -> car.awaitValues(values(0, 20)));
      slow.awaitValues(values(0, 20));
      assertThat(stats(broker, topic, "all").getConsumers()).hasSize(1);
      assertThat(stats(broker, topic, "all").getMsgBacklog()).as("I3").isEqualTo(20);
      slow.acknowledge(4);
      awaitBacklog(broker, topic, "all", 15);
      assertThatThrownBy(() -> hub.open("slow", Latest, slow))
          .isInstanceOf(IllegalStateException.class);
      slow.session.unsubscribe();
      awaitBacklog(broker, topic, "all", 0); // though nothing else happens
    }
  }

  @Test
  void shouldFollowTheTopicWithoutSessions(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastHub<String> hub = open(broker, topic)) {
      publish(broker, topic, 0, 10);
      awaitBacklog(broker, topic, "all", 0);
      await().until(() -> hub.heldMessages() == 0);
    }
  }

  @Test
  void shouldEndADeadSessionAndNoOther(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastHub<String> hub = hub(broker.client(), topic).maxMessages(10).subscribe()) {
      Car good = Car.open(hub, "good", Latest, true);
      Car dead = new Car(false);
      hub.open("dead", Latest, dead);
      for (int i = 0; i < 50; i++) {
        publish(broker, topic, i, i + 1);
        good.awaitValues(values(0, i + 1));
      }
      await()
          .untilAsserted(
              () -> assertThat(dead.error).isInstanceOf(SessionTooFarBehindException.class));
      assertThat(hub.endedSessions()).isEqualTo(1);
      assertThat(good.error).isNull();
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldResumeASessionThatClosed(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastHub<String> hub = open(broker, topic)) {
      Car car = Car.open(hub, "car", Latest, false);
      Car beside = Car.open(hub, "beside", Latest, true);
      publish(broker, topic, 0, 10);
      car.awaitValues(values(0, 10));
      car.acknowledge(3);
      car.session.close();
      publish(broker, topic, 10, 15);
      beside.awaitValues(values(0, 15));
      awaitBacklog(broker, topic, "all", 11);
      Car.open(hub, "car", Latest, true).awaitValues(values(4, 15));
      assertThat(car.values).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldRepeatAndLoseNothingWhenTheTopicIsUnloaded(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient own = broker.newClient();
        BroadcastHub<String> hub = hub(own, topic).subscribe()) {
      Car fast = Car.open(hub, "fast", Latest, true);
      Car slow = Car.open(hub, "slow", Latest, false);
      for (int i = 0; i < 100; i += 20) {
        publish(broker, topic, i, i + 20);
        slow.awaitValues(values(0, i + 20));
        slow.acknowledge(i + 4);
        broker.admin().topics().unload(topic);
      }
      publish(broker, topic, 100, 120);
      fast.awaitValues(values(0, 120));
      slow.awaitValues(values(0, 120));
      slow.acknowledge(119);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldLoseNothingWhenTheHubIsOpenedAgain(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastHub<String> hub = open(broker, topic)) {
      Car ahead = Car.open(hub, "ahead", Latest, false);
      Car behind = Car.open(hub, "behind", Latest, false);
      publish(broker, topic, 0, 10);
      ahead.awaitValues(values(0, 10));
      behind.awaitValues(values(0, 10));
      ahead.acknowledge(8);
      behind.acknowledge(2);
      awaitBacklog(broker, topic, "all", 7);
      hub.close();
      await().untilAsserted(() -> assertThat(List.of(ahead, behind)).allMatch(car -> car.complete));
    }
    publish(broker, topic, 10, 20);
    try (BroadcastHub<String> hub =
        hub(broker.client(), topic).resumeTime(Duration.ofSeconds(3)).subscribe()) {
      Car ahead = Car.open(hub, "ahead", Earliest, true);
      Car behind = Car.open(hub, "behind", Earliest, true);
      ahead.awaitValues(values(3, 20));
      behind.awaitValues(values(3, 20));
      awaitBacklog(broker, topic, "all", 0); // though nothing else happens
    }
  }

  @Test
  void shouldAcknowledgeSingleMessagesOfBatches(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient own = broker.newClient();
        BroadcastHub<String> hub = hub(own, topic).subscribe()) {
      Car car = Car.open(hub, "car", Latest, false);
      publishBatches(broker, topic, 0, 20, 5);
      car.awaitValues(values(0, 20));
      car.acknowledge(6); // all of the first batch, and a part of the second
      await().untilAsserted(() -> assertThat(hub.heldMessages()).isEqualTo(13));
      broker.admin().topics().unload(topic);
      publishBatches(broker, topic, 20, 25, 5);
      car.awaitValues(values(0, 25));
      car.acknowledge(8);
      assertThat(hub.heldMessages()).isEqualTo(16);
      car.session.close();
      Car again = Car.open(hub, "car", Latest, true);
      again.awaitValues(values(9, 25));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldTakeAllPartitionsOfATopic(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createPartitionedTopic(topic, PARTITIONS);
    try (BroadcastHub<String> hub = open(broker, topic)) {
      Car fast = Car.open(hub, "fast", Latest, true);
      Car slow = Car.open(hub, "slow", Latest, false);
      for (int i = 0; i < PARTITIONS; i++) {
        publish(broker, topic + "-partition-" + i, 10 * i, 10 * i + 10);
      }
      await().untilAsserted(() -> assertThat(slow.values).hasSize(10 * PARTITIONS));
      for (int i = 0; i < PARTITIONS; i++) {
        List<String> ofPartition = values(10 * i, 10 * i + 10);
        assertThat(slow.values.stream().filter(ofPartition::contains).toList())
            .isEqualTo(ofPartition);
      }
      await().untilAsserted(() -> assertThat(fast.values).isEqualTo(slow.values));
      slow.acknowledge(10);
      assertThat(hub.heldMessages()).isEqualTo(10 * PARTITIONS - 11);
      await().untilAsserted(() -> assertThat(backlog(broker, topic)).isEqualTo(hub.heldMessages()));
      slow.acknowledge(10 * PARTITIONS - 1);
      await().untilAsserted(() -> assertThat(backlog(broker, topic)).isZero());
    }
  }

  private static long backlog(Broker broker, String topic) throws Exception {
    long backlog = 0;
    for (int i : IntStream.range(0, PARTITIONS).toArray()) {
      backlog += stats(broker, topic + "-partition-" + i, "all").getMsgBacklog();
    }
    return backlog;
  }
}
