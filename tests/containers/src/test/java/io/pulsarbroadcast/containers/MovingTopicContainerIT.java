/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.containers.CountingConsumer.Acknowledging;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I1, I2 and I5 in a cluster: a topic under load moves between two brokers, in order and by the
 * SIGKILL of its owner, and every consumer gets every message, for the first time in order, one
 * that was away all the time included. Nothing for whose acknowledgement there is a receipt comes
 * again after a move in order; after a SIGKILL only what was acknowledged since the positions were
 * last stored.
 */
@ExtendWith(RequiresDocker.class)
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class MovingTopicContainerIT {

  private static final String TOPIC = "persistent://moving/topics/area-7";
  private static final int MOVES = 6;

  /** The moves, counted from 1, that a SIGKILL makes. */
  private static final List<Integer> KILLS = List.of(2, 5);

  private static final int STOCK_CONSUMERS = 10;
  private static final int EXTENSION_CONSUMERS = 10;
  private static final int MESSAGES_PER_SECOND = 200;

  /** Messages that everybody must have received, of those sent after a move, before the next. */
  private static final int MESSAGES_BETWEEN_MOVES = 200;

  /** broadcastPositionFlushIntervalMillis, which nobody sets here. */
  private static final Duration FLUSH_INTERVAL = Duration.ofSeconds(1);

  /** What one flush may take on a busy machine, and a receipt on its way back. */
  private static final Duration FLUSH_MARGIN = Duration.ofSeconds(3);

  /**
   * Messages that everybody must have acknowledged before a SIGKILL: they take twice as long as
   * what may come again, so that there is more to take back than that.
   */
  private static final int MESSAGES_BEFORE_KILL =
      MESSAGES_PER_SECOND * 2 * (int) FLUSH_INTERVAL.plus(FLUSH_MARGIN).toSeconds();

  @Test
  void shouldLoseNothingWhenTheTopicMovesUnderLoad() throws Exception {
    try (PulsarCluster cluster = PulsarCluster.start(Images.pulsarWithPlugin())) {
      cluster.createTopic(TOPIC);
      try (TopicLoad load = new TopicLoad(cluster.serviceUrl(), TOPIC, MESSAGES_PER_SECOND)) {
        load.addStockConsumers(STOCK_CONSUMERS, Acknowledging.INDIVIDUALLY);
        load.addExtensionConsumers(EXTENSION_CONSUMERS);
        load.start();
        load.awaitMore(MESSAGES_BETWEEN_MOVES);
        for (int move = 1; move <= MOVES; move++) {
          move(cluster, load, move);
        }
        load.stopAndCheckNothingIsLost(cluster.admin());
        checkBothBrokersAnswerForPositions(cluster);
        System.out.printf(
            "%d consumers received each of %d messages; %d moves, %d of them by SIGKILL; %d"
                + " deliveries were repeated%n",
            load.consumers(), load.sent(), MOVES, KILLS.size(), load.again());
      }
    }
  }

  /** The one that has not the topic sends on to the other, also what has a body. */
  private static void checkBothBrokersAnswerForPositions(PulsarCluster cluster) throws Exception {
    String positions =
        "%s/admin/v2/%s/subscription/%s/broadcast/positions"
            .formatted(cluster.adminUrl(), TOPIC.replace("://", "/"), TopicLoad.SUBSCRIPTION);
    HttpRequest list = HttpRequest.newBuilder(URI.create(positions)).build();
    HttpRequest drop =
        HttpRequest.newBuilder(URI.create(positions + "/drop"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"all\":true,\"dryRun\":true}"))
            .build();
    for (HttpRequest request : List.of(list, list, drop, drop)) {
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as("%s: %s", request, answer.body()).isEqualTo(200);
    }
  }

  private static void move(PulsarCluster cluster, TopicLoad load, int move) throws Exception {
    String from = cluster.owner(TOPIC);
    String to = from.equals("broker-1") ? "broker-2" : "broker-1";
    boolean kill = KILLS.contains(move);
    if (kill) {
      load.awaitMore(MESSAGES_BEFORE_KILL);
    }
    int againBefore = load.again();
    List<CountingConsumer.Move> moves = load.moving();
    long startNanos = System.nanoTime();
    if (kill) {
      cluster.kill(from);
      cluster.awaitOwner(TOPIC, to);
    } else {
      cluster.move(TOPIC, to);
    }
    load.awaitMore(MESSAGES_BETWEEN_MOVES);
    System.out.printf(
        "Move %d of %d, %s -> %s by %s: everybody served again after %d ms, %d deliveries were"
            + " repeated, %d of them acknowledged with a receipt%n",
        move,
        MOVES,
        from,
        to,
        kill ? "SIGKILL" : "unload",
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos),
        load.again() - againBefore,
        moves.stream().mapToInt(CountingConsumer.Move::redelivered).sum());
    checkRepeated(moves, kill);
    if (kill) {
      cluster.restart(from);
      cluster.awaitBothBrokers();
    }
  }

  /** Whatever comes again comes before what is new, which everybody has by now. */
  private static void checkRepeated(List<CountingConsumer.Move> moves, boolean kill) {
    if (kill) {
      assertThat(moves)
          .as("I5: a crash takes back what was acknowledged in the last flush interval, not more")
          .allSatisfy(
              move ->
                  assertThat(move.oldestNanos())
                      .isLessThanOrEqualTo(FLUSH_INTERVAL.plus(FLUSH_MARGIN).toNanos()));
    } else {
      assertThat(moves)
          .as("I5: a move in order takes no acknowledgement back")
          .allSatisfy(move -> assertThat(move.redelivered()).isZero());
    }
  }
}
