/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import java.io.IOException;

/**
 * Consumers that never read their sockets, and consumers that never acknowledge, each on a
 * connection of its own, until they wake. One thread may call it.
 *
 * <p>Those that do not read send a sign of life now and then, unasked, so that the broker does not
 * take them for dead and has to live with their full sockets.
 */
final class BadConsumers implements AutoCloseable {
  private static final int PERMITS = 1_000_000;
  private static final int SIGN_OF_LIFE_SECONDS = 10;

  private final ConsumerLog neverReading;
  private final ConsumerLog neverAcknowledging;
  private final ConsumerFleet readers;
  private final ConsumerFleet ackers;
  private Periodic signsOfLife;

  BadConsumers(LoadConfig good, int readersCount, int ackersCount) {
    neverReading = new ConsumerLog(readersCount, true);
    neverAcknowledging = new ConsumerLog(ackersCount, false);
    readers = new ConsumerFleet(config(good, "never-reads", neverReading));
    ackers = new ConsumerFleet(config(good, "never-acknowledges", neverAcknowledging));
  }

  private static LoadConfig config(LoadConfig good, String name, ConsumerLog log) {
    return LoadConfig.builder()
        .serviceUrl(good.serviceUrl)
        .topic(good.topic)
        .broadcast(AbstractScenario.SUBSCRIPTION)
        .run(good.run)
        .messages(good.messages)
        .consumerName(LoadConfig.numbered(name))
        .consumers(log.consumers())
        .connections(log.consumers())
        .receiverQueueSize(PERMITS)
        .ioThreads(1)
        .reconnect(true)
        .deliveryListener(log)
        .build();
  }

  /** Subscribes all, and from then on the ones read nothing and the others acknowledge nothing. */
  void start() throws FleetException, InterruptedException {
    readers.start();
    ackers.start();
    readers.awaitSubscribed(AbstractScenario.CONNECT_TIMEOUT);
    readers.pauseReading();
    signsOfLife =
        new Periodic(
            "signs-of-life", SIGN_OF_LIFE_SECONDS, SIGN_OF_LIFE_SECONDS, readers::keepAlive);
    ackers.awaitSubscribed(AbstractScenario.CONNECT_TIMEOUT);
  }

  /** From now on all read, and acknowledge. */
  void wake() {
    readers.resumeReading();
    neverAcknowledging.startAcknowledging();
  }

  /** Connections that the broker closed; then their consumers were not bad all the time. */
  int connectionsLost() {
    return readers.connectionsLost() + ackers.connectionsLost();
  }

  ConsumerLog neverReading() {
    return neverReading;
  }

  ConsumerLog neverAcknowledging() {
    return neverAcknowledging;
  }

  /** Makes visible what the event loops wrote into the logs. */
  void settle() {
    readers.snapshot();
    ackers.snapshot();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (signsOfLife != null) {
      signsOfLife.close();
    }
    readers.close();
    ackers.close();
  }
}
