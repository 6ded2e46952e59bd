/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.containers.CountingConsumer.Acknowledging;
import io.pulsarbroadcast.containers.CountingConsumer.Move;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I1, I2 and I5 while the brokers of a cluster are replaced under load, one by one, by those of
 * another line with the same NAR, and then back: every consumer gets every message, for the first
 * time in order, and nothing again for whose acknowledgement there is a receipt. What a consumer
 * left unacknowledged comes again. Between two replacements topics are at brokers of both lines,
 * and move between them.
 *
 * <p>By name only, because it takes minutes, and an image of the other line: {@code
 * -Dpulsar.upgrade.image=...}.
 */
@ExtendWith(RequiresDocker.class)
@EnabledIfSystemProperty(
    named = "pulsar.upgrade.image",
    matches = ".+",
    disabledReason = "run by name, with -Dpulsar.upgrade.image=IMAGE")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class RollingUpgradeContainerIT {

  private static final List<String> BROKERS = List.of("broker-1", "broker-2");
  private static final int TOPICS = 4;
  private static final int CUMULATIVE_CONSUMERS = 5;
  private static final int INDIVIDUAL_CONSUMERS = 3;
  private static final int CONSUMERS_WITH_HOLES = 2;
  private static final int MESSAGES_PER_SECOND = 50;

  /** Messages of each topic that everybody must have received after a step, before the next. */
  private static final int MESSAGES_BETWEEN_STEPS = 100;

  private static final Pattern VERSION =
      Pattern.compile("Broadcast subscriptions are available on broker ([\\w.-]+):");

  private final List<TopicLoad> loads = new ArrayList<>();

  /** The line that each broker is of. */
  private final Map<String, String> versions = new LinkedHashMap<>();

  @Test
  void shouldLoseNothingWhenBrokersAreReplacedOneByOneByThoseOfAnotherLineAndBack()
      throws Exception {
    Future<String> before = Images.pulsarWithPlugin();
    Future<String> after = Images.upgradeWithPlugin();
    try (PulsarCluster cluster = PulsarCluster.start(before)) {
      BROKERS.forEach(broker -> versions.put(broker, version(cluster, broker)));
      try {
        connect(cluster);
        System.out.println(
            "| Step | Brokers then | Topics moved | Seconds | Unacknowledged | Repeated | of these"
                + " with a receipt |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (Future<String> image : List.of(after, before)) {
          for (String broker : BROKERS) {
            replace(cluster, broker, image);
            moveHalfOfTheTopics(cluster, broker);
          }
        }
        for (TopicLoad load : loads) {
          load.stopAndCheckNothingIsLost(cluster.admin());
        }
        System.out.printf(
            "%d consumers of %d topics; %d messages: 0 lost, 0 out of order; %d deliveries were"
                + " repeated, none of them with a receipt; %d were left unacknowledged until the"
                + " end%n",
            loads.stream().mapToInt(TopicLoad::consumers).sum(),
            TOPICS,
            loads.stream().mapToInt(TopicLoad::sent).sum(),
            loads.stream().mapToInt(TopicLoad::again).sum(),
            loads.stream().mapToInt(TopicLoad::holes).sum());
      } finally {
        for (TopicLoad load : loads) {
          load.close();
        }
      }
    }
  }

  private void connect(PulsarCluster cluster) throws Exception {
    for (int i = 0; i < TOPICS; i++) {
      String topic = "persistent://rolling/area-%d/cars".formatted(i);
      cluster.createTopic(topic);
      cluster.move(topic, BROKERS.get(i % BROKERS.size()));
      TopicLoad load = new TopicLoad(cluster.serviceUrl(), topic, MESSAGES_PER_SECOND);
      loads.add(load);
      load.addStockConsumers(CUMULATIVE_CONSUMERS, Acknowledging.CUMULATIVELY);
      load.addStockConsumers(INDIVIDUAL_CONSUMERS, Acknowledging.INDIVIDUALLY);
      load.addStockConsumers(CONSUMERS_WITH_HOLES, Acknowledging.WITH_HOLES);
      load.start();
    }
    for (TopicLoad load : loads) {
      load.awaitMore(MESSAGES_BETWEEN_STEPS);
    }
  }

  /** All topics are at the other broker afterwards. */
  private void replace(PulsarCluster cluster, String broker, Future<String> image)
      throws Exception {
    List<TopicLoad> moving = new ArrayList<>();
    for (TopicLoad load : loads) {
      if (cluster.owner(load.topic()).equals(broker)) {
        moving.add(load);
      }
    }
    String from = versions.get(broker);
    Step step = new Step(moving);
    cluster.replace(broker, image);
    versions.put(broker, version(cluster, broker));
    step.check("%s: %s replaced by %s".formatted(broker, from, versions.get(broker)));
  }

  private void moveHalfOfTheTopics(PulsarCluster cluster, String broker) {
    List<TopicLoad> moving = loads.subList(0, TOPICS / 2);
    Step step = new Step(moving);
    moving.forEach(load -> cluster.move(load.topic(), broker));
    step.check("topics unloaded to " + broker);
  }

  /** What the plugin says that it runs on; that it runs there at all. */
  private static String version(PulsarCluster cluster, String broker) {
    Matcher matcher = VERSION.matcher(cluster.log(broker));
    assertThat(matcher.find()).as("the plugin is in %s", broker).isTrue();
    return matcher.group(1);
  }

  /** What comes again while topics move from broker to broker. */
  private final class Step {
    private final List<TopicLoad> moving;
    private final Map<TopicLoad, List<Move>> moves = new LinkedHashMap<>();
    private final int againBefore = again();
    private final int holesBefore;
    private final long startNanos = System.nanoTime();

    Step(List<TopicLoad> moving) {
      this.moving = moving;
      loads.forEach(load -> moves.put(load, load.moving()));
      holesBefore = moving.stream().mapToInt(TopicLoad::holes).sum();
    }

    private int again() {
      return loads.stream().mapToInt(TopicLoad::again).sum();
    }

    /** Whatever comes again comes before what is new, which everybody is given first. */
    void check(String what) {
      loads.forEach(load -> load.awaitMore(MESSAGES_BETWEEN_STEPS));
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
      List<Move> all = moves.values().stream().flatMap(List::stream).toList();
      System.out.printf(
          "| %s | %s | %d | %d | %d | %d | %d |%n",
          what,
          String.join(", ", versions.values()),
          moving.size(),
          seconds,
          holesBefore,
          again() - againBefore,
          all.stream().mapToInt(Move::redelivered).sum());
      assertThat(all)
          .as("I5, %s: nothing comes again for whose acknowledgement there is a receipt", what)
          .allSatisfy(move -> assertThat(move.redelivered()).isZero());
      assertThat(moving)
          .as("I1, %s: what was left unacknowledged comes again", what)
          .allSatisfy(
              load ->
                  assertThat(moves.get(load))
                      .allSatisfy(move -> assertThat(move.holesToCome()).isZero()));
    }
  }
}
