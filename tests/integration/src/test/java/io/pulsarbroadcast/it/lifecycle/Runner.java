/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.List;
import org.apache.pulsar.client.api.Consumer;

/**
 * Does one sequence to a broker, on topics of its own, and compares what happens with what the
 * oracle says. It never waits for silence: it waits for what must come. For one thread.
 */
final class Runner {

  private final TestBed bed;
  private final SubscribeOperations subscribing;
  private final ConsumerOperations consuming;
  private final PublishOperations publishing;
  private final TopicOperations topics;
  private final AdminOperations administering;

  private Runner(TestBed bed) {
    this.bed = bed;
    this.subscribing = new SubscribeOperations(bed);
    this.consuming = new ConsumerOperations(bed);
    this.publishing = new PublishOperations(bed);
    this.topics = new TopicOperations(bed, publishing);
    this.administering = new AdminOperations(bed);
  }

  /**
   * Runs a sequence.
   *
   * @param patienceMillis how long what must come may take
   * @throws Difference when the broker did something else than the oracle says
   */
  static void run(Clients clients, Sequence sequence, long patienceMillis) throws Exception {
    try (TestBed bed = new TestBed(clients, Rules.of(sequence.seed()), patienceMillis)) {
      Runner runner = new Runner(bed);
      List<Operation> operations = sequence.operations();
      for (int i = 0; i < operations.size(); i++) {
        Operation operation = operations.get(i);
        runner.during(
            "operation %d, %s".formatted(sequence.kept().get(i), operation),
            () -> runner.apply(operation));
      }
      runner.during("the end", runner::finish);
    }
  }

  private void during(String what, TestBed.Step step) {
    try {
      step.run();
    } catch (Exception | AssertionError e) {
      throw new Difference(
          "At %s of topic %s: %s"
              .formatted(what, bed.topic(0), e instanceof Difference ? e.getMessage() : e),
          e);
    }
  }

  private void apply(Operation operation) throws Exception {
    if (operation instanceof Operation.OfSubscriber subscribe) {
      subscribing.apply(subscribe);
    } else if (operation instanceof Operation.OfConsumer consumer) {
      consuming.apply(consumer);
    } else if (operation instanceof Operation.OfPublisher publish) {
      publishing.apply(publish);
    } else if (operation instanceof Operation.OfTopic topic) {
      topics.apply(topic);
    } else if (operation instanceof Operation.OfOperator administer) {
      administering.apply(administer);
    }
  }

  /** Has everybody return and receive everything; then nothing is left. */
  private void finish() throws Exception {
    for (int topic = 0; topic < bed.topics(); topic++) {
      publishing.endTransaction(topic, false);
      if (bed.subscription(topic).exists()) {
        finish(topic);
      }
    }
  }

  private void finish(int topic) throws Exception {
    SubscriptionModel subscription = bed.subscription(topic);
    drain(topic);
    for (String name : List.copyOf(subscription.leftBehind().keySet())) {
      while (subscription.leftBehind().containsKey(name)) {
        if (subscription.isFull()) {
          Session one = subscription.sessions().get(0);
          consuming.drain(one);
          consuming.unsubscribe(one);
        }
        Operation.Subscribe subscribe =
            new Operation.Subscribe(0, topic, name, true, true, false, 100);
        Consumer<String> consumer = bed.clients.broadcast(subscribe, bed.topic(topic)).subscribe();
        bed.connected(subscription.connect(0, topic, name, true, true, false), consumer);
      }
    }
    if (subscription.isPlain() && subscription.sessions().isEmpty()) {
      Consumer<String> consumer = bed.clients.plain(0, bed.topic(topic), topic).subscribe();
      bed.connected(subscription.connectPlain(0, topic, true, false), consumer);
    }
    if (!bed.model(topic).terminated) {
      publishing.publish(topic, 1);
    }
    drain(topic);
    if (subscription.isBroadcast()) {
      bed.observation(topic).awaitWaiting(0);
      boolean exact =
          subscription.sessions().stream()
              .allMatch(session -> !session.durable || session.position.isExact());
      if (exact && subscription.sessions().stream().anyMatch(session -> session.durable)) {
        bed.observation(topic).awaitNoBacklog();
      }
    }
  }

  private void drain(int topic) throws Exception {
    for (Session session : bed.subscription(topic).sessions()) {
      consuming.drain(session);
    }
  }
}
