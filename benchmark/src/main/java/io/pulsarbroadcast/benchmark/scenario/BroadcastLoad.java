/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.Schedule;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * A fleet on a Broadcast subscription and a publisher with a fixed rate, until it is stopped. One
 * thread may call it.
 */
final class BroadcastLoad implements AutoCloseable {
  static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(10);
  private static final Duration QUIET = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 20;

  private final ConsumerFleet fleet;
  private final Publisher publisher;
  private final int consumers;
  private final int messages;
  private CompletableFuture<PublishResult> publishing;

  /** Connects the publisher; the consumers connect with {@link #subscribe()}. */
  BroadcastLoad(LoadConfigBuilder options, int sizeBytes) throws IOException {
    LoadConfig config = options.build();
    this.consumers = config.consumers();
    this.messages = config.messages();
    try {
      this.publisher =
          new Publisher(
              config.serviceUrl(), config.topic(), config.run(), sizeBytes, Duration.ZERO);
    } catch (PulsarClientException e) {
      throw AbstractScenario.publishing(e);
    }
    this.fleet = new ConsumerFleet(config);
  }

  static LoadConfigBuilder config(
      ScenarioBroker broker, String topic, FleetOptions options, ConsumerLog log, int messages) {
    return LoadConfig.builder()
        .serviceUrl(broker.serviceUrl())
        .topic(ScenarioBroker.topic(topic))
        .broadcast(AbstractScenario.SUBSCRIPTION)
        .consumers(options.consumers)
        .connections(options.connections)
        .messages(messages)
        .deliveryListener(log);
  }

  ConsumerFleet fleet() {
    return fleet;
  }

  Publisher publisher() {
    return publisher;
  }

  void subscribe() throws FleetException, InterruptedException {
    fleet.start();
    fleet.awaitSubscribed(CONNECT_TIMEOUT);
  }

  /** Begins to publish at this rate, from message {@code from} on. */
  void publish(int from, double messagesPerSecond) {
    Schedule schedule = Schedule.dueAt(System.nanoTime(), from, messagesPerSecond);
    publishing = publisher.publishAsync(schedule, from, messages);
  }

  /** Ends publishing, and returns what the broker has acknowledged. */
  PublishResult stopPublishing(Duration timeout) throws IOException, InterruptedException {
    publisher.finish();
    try {
      return publishing.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new IOException("The publisher did not end within " + timeout + ": " + e, e);
    }
  }

  /** Waits until the messages before this one were received by all, or nothing arrives any more. */
  void awaitAll(int published) throws FleetException, InterruptedException {
    fleet.awaitReceived((long) published * consumers, QUIET);
    // Makes visible what the event loops wrote.
    fleet.snapshot();
  }

  /**
   * Waits until every consumer has received this message or a later one.
   *
   * @throws IOException when the time is over
   */
  static void awaitReached(ConsumerLog log, int sequence, Duration timeout)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    while (log.lowest() < sequence) {
      if (System.nanoTime() - startNanos > timeout.toNanos()) {
        throw new IOException(
            "After %d s some consumer has not received message %d; the one least far has %d"
                .formatted(timeout.toSeconds(), sequence, log.lowest()));
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  @Override
  public void close() throws IOException {
    fleet.close();
    try {
      publisher.close();
    } catch (PulsarClientException e) {
      throw AbstractScenario.publishing(e);
    }
  }
}
