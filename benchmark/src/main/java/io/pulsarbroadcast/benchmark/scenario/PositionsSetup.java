/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet.Place;
import io.pulsarbroadcast.benchmark.load.DeliveryListener.Received;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntUnaryOperator;

/**
 * One case of the positions scenario on a running broker: brings the consumers to their places, and
 * lets each acknowledge one more message. One thread may call it.
 */
final class PositionsSetup implements AutoCloseable {
  private static final Duration QUIET = Duration.ofSeconds(60);
  private static final double AS_FAST_AS_POSSIBLE = 1e6;
  private static final long POLL_MILLIS = 1;

  private final Broker broker;
  private final PositionsCase positions;
  private final int consumers;
  private final int connections;
  private final int holes;
  private final int messages;
  private final int run = (int) System.nanoTime();

  /** Consumers without holes, and those with; the latter null in the other cases. */
  private final ConsumerFleet plain;

  private final ConsumerFleet holders;
  private final int holderCount;

  /** Where the messages are, once they are published. */
  private final AtomicReferenceArray<Place> places;

  PositionsSetup(
      Broker broker, PositionsCase positions, int consumers, int connections, int holes) {
    this.broker = broker;
    this.positions = positions;
    this.consumers = consumers;
    this.connections = connections;
    this.holes = holes;
    this.messages = positions.messages(consumers, holes);
    this.places = new AtomicReferenceArray<>(messages);
    this.holderCount =
        positions == PositionsCase.HOLES ? Math.max(1, consumers / PositionsCase.HOLDERS_SHARE) : 0;
    this.plain = new ConsumerFleet(fleet("consumer", consumers - holderCount).build());
    this.holders =
        holderCount == 0
            ? null
            : new ConsumerFleet(
                fleet("holder", holderCount)
                    .ackPolicy(AckPolicy.INDIVIDUAL)
                    .deliveryListener(PositionsSetup::isEverySecond)
                    .build());
  }

  /** To make holes, the others are not acknowledged. */
  private static boolean isEverySecond(int consumer, Received message) {
    return message.sequence() % 2 == 1;
  }

  /** Called by the event loop of the observer. */
  private boolean note(int consumer, Received message) {
    places.set(message.sequence(), new Place(message.ledgerId(), message.entryId()));
    return true;
  }

  private LoadConfig fleet(String name, int count) {
    return topic()
        .broadcast(AbstractScenario.SUBSCRIPTION)
        .consumerName(LoadConfig.numbered(name))
        .consumers(count)
        .connections(connections)
        .receiverQueueSize(0)
        .reconnect(true);
  }

  private LoadConfig topic() {
    return LoadConfig.builder()
        .serviceUrl(broker.serviceUrl())
        .topic(AbstractScenario.topic(positions.topic()))
        .messages(messages)
        .run(run);
  }

  /** Subscribes all on the empty topic, and returns the seconds it took. */
  double register() throws FleetException, InterruptedException {
    long startNanos = System.nanoTime();
    plain.start();
    if (holders != null) {
      holders.start();
      holders.awaitSubscribed(AbstractScenario.CONNECT_TIMEOUT);
    }
    plain.awaitSubscribed(AbstractScenario.CONNECT_TIMEOUT);
    return AbstractScenario.secondsSince(startNanos);
  }

  /** Publishes, and brings everybody to its place. */
  void arrange() throws IOException, FleetException, InterruptedException {
    publish();
    IntUnaryOperator seeks = positions.seeks();
    if (seeks != null) {
      seek(seeks);
    }
    if (holders != null) {
      holders.grantPermits(2 * holes + 1);
      awaitReceived(holders, (long) holderCount * (2 * holes + 1));
    }
  }

  /** Publishes under the eye of a consumer of another subscription, which sees the places. */
  private void publish() throws IOException, FleetException, InterruptedException {
    LoadConfig observer =
        topic()
            .subscriptionPerConsumer("observer")
            .durable(false)
            .deliveryListener(this::note)
            .build();
    try (ConsumerFleet fleet = new ConsumerFleet(observer);
        Publisher publisher =
            new Publisher(
                broker.serviceUrl(),
                observer.topic,
                run,
                PayloadFormat.MIN_SIZE_BYTES,
                Duration.ZERO)) {
      fleet.start();
      fleet.awaitSubscribed(AbstractScenario.CONNECT_TIMEOUT);
      PublishResult published =
          publisher.publish(new Schedule(System.nanoTime(), AS_FAST_AS_POSSIBLE), 0, messages);
      if (published.acknowledgedCount() < messages) {
        throw new IOException("Publishing failed: " + published.firstError());
      }
      awaitReceived(fleet, messages);
    }
  }

  /** The broker closes each consumer that it has moved, and they come back at their places. */
  private void seek(IntUnaryOperator seeks) throws FleetException, InterruptedException {
    long before = plain.closedByBroker();
    plain.seek(
        consumer -> {
          int sequence = seeks.applyAsInt(consumer);
          return sequence == 0 ? null : places.get(sequence);
        });
    long expected = before;
    for (int i = 0; i < consumers; i++) {
      expected += seeks.applyAsInt(i) == 0 ? 0 : 1;
    }
    awaitMoved(plain, expected);
    plain.awaitSubscribed(AbstractScenario.CONNECT_TIMEOUT);
  }

  private static void awaitMoved(ConsumerFleet fleet, long closed) throws InterruptedException {
    long startNanos = System.nanoTime();
    while (fleet.closedByBroker() < closed) {
      if (System.nanoTime() - startNanos > AbstractScenario.CONNECT_TIMEOUT.toNanos()) {
        throw new IllegalStateException(
            "The broker has closed %d consumers for their seeks; expected are %d"
                .formatted(fleet.closedByBroker(), closed));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  /**
   * Has a new consumer seek, which is done when everybody's position is on storage; returns the
   * seconds that the seek took.
   */
  double writeSeconds(String name) throws FleetException, InterruptedException {
    try (ConsumerFleet one =
        new ConsumerFleet(fleet(name, 1).consumerName(index -> name).build())) {
      one.start();
      one.awaitSubscribed(AbstractScenario.CONNECT_TIMEOUT);
      long startNanos = System.nanoTime();
      one.seek(consumer -> places.get(messages - 1));
      awaitMoved(one, 1);
      return AbstractScenario.secondsSince(startNanos);
    }
  }

  /** Everybody receives one more message and acknowledges it; returns the seconds. */
  double moveEverybody() throws FleetException, InterruptedException, IOException {
    long startNanos = System.nanoTime();
    long before = plain.received();
    plain.grantPermits(1);
    if (holders != null) {
      long beforeHolders = holders.received();
      holders.grantPermits(1);
      awaitReceived(holders, beforeHolders + holderCount);
    }
    awaitReceived(plain, before + consumers - holderCount);
    return AbstractScenario.secondsSince(startNanos);
  }

  private static void awaitReceived(ConsumerFleet fleet, long count)
      throws FleetException, InterruptedException, IOException {
    if (!fleet.awaitReceived(count, QUIET)) {
      throw new IOException(
          "%,d of %,d messages arrived, and none for %d s"
              .formatted(fleet.received(), count, QUIET.toSeconds()));
    }
  }

  /** A name that one of the consumers has. */
  String someName() {
    return LoadConfig.numbered("consumer").apply(0);
  }

  /** Subscribes under a name and goes away again; returns the seconds until it was subscribed. */
  double subscribeSeconds(String topic, String name) throws FleetException, InterruptedException {
    LoadConfig config =
        fleet(name, 1).topic(AbstractScenario.topic(topic)).consumerName(index -> name).build();
    try (ConsumerFleet one = new ConsumerFleet(config)) {
      long startNanos = System.nanoTime();
      one.start();
      one.awaitSubscribed(AbstractScenario.CONNECT_TIMEOUT);
      return AbstractScenario.secondsSince(startNanos);
    }
  }

  @Override
  public void close() {
    plain.close();
    if (holders != null) {
      holders.close();
    }
  }
}
