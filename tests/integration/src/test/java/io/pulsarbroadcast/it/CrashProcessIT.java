/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.NewThread;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageListener;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * I1 and I2 when a broker crashes under load: nobody misses what was acknowledged to the producer,
 * and first deliveries stay in order. Duplicates are allowed here.
 */
@Order(1)
class CrashProcessIT {
  private static final int MESSAGES_BEFORE_KILL = 500;
  private static final int MESSAGES_AFTER_KILL = 1_000;
  private static final int CONSUMERS = 30;
  private static final int CLIENTS = 3;
  private static final int MAX_IN_FLIGHT = 50;

  private static Broker broker;

  @BeforeAll
  static void startBroker() {
    broker = Broker.start(BrokerExtension.newBroker());
  }

  @AfterAll
  static void closeBroker() throws IOException {
    if (broker != null) {
      broker.close();
    }
  }

  @Test
  void shouldDeliverEveryAcknowledgedMessageInOrderWhenTheBrokerIsKilledUnderLoad()
      throws Exception {
    try (Load load = new Load(broker, Broker.newTopic())) {
      load.subscribe();
      load.startPublishing();
      // The slowest is waited for, so that all have positions to lose and messages in flight.
      await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> load.fewestReceived() >= MESSAGES_BEFORE_KILL);

      broker.process().kill();
      assertThat(load.isPublishing()).isTrue();
      int receivedBefore = load.mostReceived();
      broker.process().start();
      await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> load.mostReceived() >= receivedBefore + MESSAGES_AFTER_KILL);
      int published = load.stopPublishing();

      await()
          .atMost(Duration.ofMinutes(5))
          .untilAsserted(() -> assertThat(load.missing(published)).isEmpty());
      List<Integer> inOrder = IntStream.range(0, published).boxed().toList();
      for (Recorder recorder : load.recorders) {
        assertThat(recorder.firstDeliveries()).isEqualTo(inOrder);
      }
    }
  }

  /** I3 too: the subscription waits for a consumer that it knew before the crash. */
  @Test
  void shouldKeepTheMessagesOfAConsumerThatReturnsLaterThanTheOthers() throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient early = broker.newClient();
        PulsarClient late = broker.newClient()) {
      Consumer<String> first = Broker.broadcast(early, topic, "all", "early").subscribe();
      Consumer<String> second = Broker.broadcast(late, topic, "all", "late").subscribe();
      Messages.publish(early, topic, 0, 20);
      assertThat(Messages.receiveAndAck(first, 20)).isEqualTo(Messages.values(0, 20));
      assertThat(Messages.receiveAndAck(second, 5)).isEqualTo(Messages.values(0, 5));
      Consumer<String> third = Broker.broadcast(late, topic, "all", "gone").subscribe();
      third.unsubscribe();
      broker.process().kill();
      late.shutdown();
      broker.process().start();

      // The early one acknowledges all there is, again if it comes again.
      Messages.publish(early, topic, 20, 30);
      await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> Messages.receiveAndAck(first, 1).contains("message-29"));
      Messages.assertNothingMore(first);
      await()
          .during(Duration.ofSeconds(1))
          .atMost(Duration.ofMinutes(5))
          .untilAsserted(() -> assertThat(backlog(topic)).isGreaterThanOrEqualTo(25));

      try (PulsarClient returned = broker.newClient();
          Consumer<String> again = Broker.broadcast(returned, topic, "all", "late").subscribe()) {
        List<String> received = new ArrayList<>(Messages.receiveAndAck(again, 25));
        // What it acknowledged just before the crash may come again.
        List<String> next = received;
        while (!next.isEmpty() && !received.contains("message-29")) {
          next = Messages.receiveAndAck(again, 1);
          received.addAll(next);
        }
        assertThat(received).containsSubsequence(Messages.values(5, 30));
        assertThat(Subscriptions.stats(broker, topic, "all").getSubscriptionProperties())
            .as("who has unsubscribed")
            .containsEntry("pulsar.broadcast.positions.waiting", "0");
      }
    }
  }

  private static long backlog(String topic) throws Exception {
    boolean precise = true;
    return broker
        .admin()
        .topics()
        .getStats(topic, precise)
        .getSubscriptions()
        .get("all")
        .getMsgBacklog();
  }

  /**
   * A producer that sends as long as it may, and the consumers. The producer never gives up a
   * message: what was not acknowledged when the broker died is sent again, in order.
   */
  private static final class Load implements AutoCloseable {
    private final String topic;
    private final List<Recorder> recorders = new ArrayList<>();
    private final List<PulsarClient> clients = new ArrayList<>();
    private volatile boolean stopping;
    private CompletableFuture<Integer> publishing;

    Load(Broker broker, String topic) throws PulsarClientException {
      this.topic = topic;
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(broker.newClient());
      }
    }

    void subscribe() throws PulsarClientException {
      for (int i = 0; i < CONSUMERS; i++) {
        // Acknowledgements of different strides, so that positions differ when the broker dies.
        Recorder recorder = new Recorder(1 + 7 * (i % 4));
        recorders.add(recorder);
        Broker.broadcast(clients.get(i % CLIENTS), topic, "all", "consumer-" + i)
            .messageListener(recorder)
            .subscribe();
      }
    }

    void startPublishing() throws PulsarClientException {
      Producer<String> producer =
          clients
              .get(0)
              .newProducer(Schema.STRING)
              .topic(topic)
              .enableBatching(false)
              .sendTimeout(0, TimeUnit.SECONDS)
              .create();
      publishing =
          CompletableFuture.supplyAsync(() -> publish(producer), NewThread.named("publisher"));
    }

    /** Returns how many were sent, all acknowledged. */
    private int publish(Producer<String> producer) {
      Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
      List<CompletableFuture<?>> sends = new ArrayList<>();
      while (!stopping) {
        inFlight.acquireUninterruptibly();
        sends.add(
            producer
                .sendAsync(Integer.toString(sends.size()))
                .whenComplete((id, e) -> inFlight.release()));
      }
      CompletableFuture.allOf(sends.toArray(CompletableFuture[]::new)).join();
      return sends.size();
    }

    boolean isPublishing() {
      return !publishing.isDone();
    }

    int stopPublishing() throws Exception {
      stopping = true;
      return publishing.get(1, TimeUnit.MINUTES);
    }

    int mostReceived() {
      return recorders.stream().mapToInt(Recorder::count).max().orElseThrow();
    }

    /** Which consumers lack what, of the messages before {@code published}. */
    List<String> missing(int published) {
      List<String> missing = new ArrayList<>();
      for (int i = 0; i < CONSUMERS; i++) {
        Set<Integer> lacking = new TreeSet<>(IntStream.range(0, published).boxed().toList());
        lacking.removeAll(recorders.get(i).firstDeliveries());
        if (!lacking.isEmpty()) {
          missing.add(
              "consumer-%d lacks %d from %d to %d of %d"
                  .formatted(
                      i,
                      lacking.size(),
                      Collections.min(lacking),
                      Collections.max(lacking),
                      published));
        }
      }
      return missing;
    }

    int fewestReceived() {
      return recorders.stream().mapToInt(Recorder::count).min().orElseThrow();
    }

    @Override
    public void close() throws PulsarClientException {
      stopping = true;
      // Not close(), which waits for what a failed test leaves unsent.
      for (PulsarClient client : clients) {
        client.shutdown();
      }
    }
  }

  /** Notes the first delivery of each message, and acknowledges every so many of them. */
  private static final class Recorder implements MessageListener<String> {
    private final int ackEvery;
    private final Set<Integer> first = Collections.synchronizedSet(new LinkedHashSet<>());
    private final AtomicInteger sinceAck = new AtomicInteger();

    Recorder(int ackEvery) {
      this.ackEvery = ackEvery;
    }

    @Override
    public void received(Consumer<String> consumer, Message<String> message) {
      first.add(Integer.valueOf(message.getValue()));
      if (sinceAck.incrementAndGet() % ackEvery == 0) {
        consumer.acknowledgeCumulativeAsync(message);
      }
    }

    int count() {
      return first.size();
    }

    List<Integer> firstDeliveries() {
      synchronized (first) {
        return List.copyOf(first);
      }
    }
  }
}
