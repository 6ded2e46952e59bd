/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Connections that send anything at all to a subscription: the broker stays up, and its other
 * consumers notice nothing. {@code -Dwire.seed=N} repeats one seed, {@code -Dwire.runs=N} makes N
 * runs.
 */
@ExtendWith(BrokerExtension.class)
@Order(1)
class WireFuzzIT {
  private static final int RUNS = Integer.getInteger("wire.runs", 12);
  private static final int FRAMES = 300;
  private static final int MESSAGES = 20;

  /** Longer than the default, for many runs. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void shouldKeepOtherConsumersFromWhateverAConnectionSends(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    int published = 0;
    WireTally tally = new WireTally();
    List<Long> seeds = seeds();
    try (Consumer<String> ordered = broker.broadcast(topic, "all", "ordered").subscribe();
        Consumer<String> other = broker.broadcast(topic, "all", "other").subscribe()) {
      for (long seed : seeds) {
        try {
          fuzz(broker, topic, published, seed, tally, List.of(ordered, other));
        } catch (Exception | AssertionError e) {
          throw new AssertionError("-Dwire.seed=" + seed + " repeats: " + e, e);
        }
        published += MESSAGES;
      }
    }
    assertThat(tally.taken.sum())
        .as("frames that the broker has read")
        .isGreaterThan((long) seeds.size() * FRAMES / 10);
    try (Consumer<String> late = broker.broadcast(topic, "all", "late").subscribe()) {
      publish(broker, topic, published, published + 1);
      assertThat(receiveAndAck(late, 1)).isEqualTo(values(published, published + 1));
    }
  }

  /** Publishes meanwhile to the others. */
  private static void fuzz(
      Broker broker,
      String topic,
      int from,
      long seed,
      WireTally tally,
      List<Consumer<String>> others)
      throws Exception {
    List<MessageId> ids = publish(broker, topic, from, from + MESSAGES / 2);
    try (WireFuzzer fuzzer = new WireFuzzer(broker, topic, ids, seed, tally)) {
      fuzzer.send(FRAMES / 2);
      publish(broker, topic, from + MESSAGES / 2, from + MESSAGES);
      fuzzer.send(FRAMES / 2);
      for (Consumer<String> other : others) {
        assertThat(receiveAndAck(other, MESSAGES))
            .as(other.getConsumerName())
            .isEqualTo(values(from, from + MESSAGES));
      }
    }
  }

  /** Half of them the same every time. */
  private static List<Long> seeds() {
    Long only = Long.getLong("wire.seed");
    if (only != null) {
      return List.of(only);
    }
    int fixed = RUNS / 2;
    long firstNew = new SplittableRandom().nextInt(1_000_000, Integer.MAX_VALUE - RUNS);
    System.out.printf(
        "wire: seeds 0 to %d, and new: %d to %d%n",
        fixed - 1, firstNew, firstNew + RUNS - fixed - 1);
    return LongStream.concat(
            LongStream.range(0, fixed), LongStream.range(firstNew, firstNew + RUNS - fixed))
        .boxed()
        .toList();
  }
}
