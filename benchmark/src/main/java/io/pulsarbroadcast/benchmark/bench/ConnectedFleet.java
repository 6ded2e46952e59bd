/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.RunPlan;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * A fleet that stays connected to one server, with its publisher, for benchmarks of several steps.
 * The main thread may call it.
 */
final class ConnectedFleet implements AutoCloseable {
  private static final long POLL_MILLIS = 20;
  private static final long LEAD_MILLIS = 200;

  private final LoadServer server;
  private final LoadConfig config;
  private final RunPlan plan;
  private final RunListener listener;
  private final ConsumerFleet fleet;
  private Publisher publisher;

  private ConnectedFleet(LoadServer server, LoadConfig config, RunPlan plan, RunListener listener) {
    this.server = server;
    this.config = config;
    this.plan = plan;
    this.listener = listener;
    this.fleet = new ConsumerFleet(config);
  }

  /** Connects all consumers, then the publisher. */
  static ConnectedFleet connect(
      LoadServer server, LoadConfig config, RunPlan plan, RunListener listener)
      throws FleetException, InterruptedException, PulsarClientException {
    ConnectedFleet connected = new ConnectedFleet(server, config, plan, listener);
    try {
      connected.connect();
      return connected;
    } catch (FleetException | InterruptedException | PulsarClientException | RuntimeException e) {
      connected.close();
      throw e;
    }
  }

  private void connect() throws FleetException, InterruptedException, PulsarClientException {
    listener.phaseStarted("connect " + server.name(), config.consumers());
    fleet.start();
    long startNanos = System.nanoTime();
    while (fleet.subscribed() < config.consumers()) {
      fleet.throwFatal();
      if (System.nanoTime() - startNanos > plan.connectTimeout().toNanos()) {
        break;
      }
      listener.progress(fleet.subscribed());
      Thread.sleep(POLL_MILLIS);
    }
    fleet.awaitSubscribed(Duration.ZERO);
    listener.progress(config.consumers());
    listener.phaseEnded();
    publisher =
        new Publisher(
            config.serviceUrl(), config.topic(), config.run(), plan.sizeBytes(), Duration.ZERO);
  }

  /**
   * Publishes a range of messages and waits until every consumer has them, or the time is over.
   *
   * @return the seconds from the first message's time to the last reception, or -1 when some did
   *     not come in time
   */
  double publish(String phase, double messagesPerSecond, int from, int to, Duration limit)
      throws FleetException, InterruptedException {
    long expected = (long) to * config.consumers();
    long before = fleet.received();
    listener.phaseStarted(phase, expected - before);
    long startNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MILLIS);
    CompletableFuture<?> publishing =
        publisher.publishAsync(Schedule.dueAt(startNanos, from, messagesPerSecond), from, to);
    boolean inTime = true;
    while (inTime && fleet.received() < expected) {
      fleet.throwFatal();
      listener.progress(fleet.received() - before);
      Thread.sleep(POLL_MILLIS);
      inTime = System.nanoTime() - startNanos < limit.toNanos();
    }
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    listener.progress(fleet.received() - before);
    listener.phaseEnded();
    if (!inTime) {
      publisher.stop();
    }
    try {
      publishing.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Publishing failed", e.getCause());
    }
    return inTime ? seconds : -1;
  }

  ConsumerFleet fleet() {
    return fleet;
  }

  Publisher publisher() {
    return publisher;
  }

  LoadConfig config() {
    return config;
  }

  LoadServer server() {
    return server;
  }

  @Override
  public void close() {
    try {
      if (publisher != null) {
        publisher.close();
      }
    } catch (PulsarClientException e) {
      // The broker may be gone already; the fleet is closed all the same.
    } finally {
      fleet.close();
    }
  }
}
