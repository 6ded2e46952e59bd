/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;

/**
 * Measures how long the broker takes for /metrics and for statistics with very many Broadcast
 * consumers on one topic, and how large its answers are: {@code StatsAtScaleMain [consumers]}.
 */
public final class StatsAtScaleMain {

  private static final String SUBSCRIPTION = "all";
  private static final int CONNECTIONS = 16;
  private static final int MESSAGES = 3;
  private static final int REPETITIONS = 5;
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  private StatsAtScaleMain() {}

  public static void main(String[] arguments) throws Exception {
    int consumers = arguments.length == 0 ? 100_000 : Integer.parseInt(arguments[0]);
    try (Broker broker =
        Broker.start(
            BrokerExtension.newBroker()
                .heapMegabytes(3_072)
                .directMegabytes(1_024)
                .setting("metricsBufferResponse", "false")
                .setting("exposeConsumerLevelMetricsInPrometheus", "true"))) {
      String topic = Broker.newTopic();
      Consumer<String> one = broker.broadcast(topic, SUBSCRIPTION, "one").subscribe();
      System.out.printf("%,d consumer%n", 1);
      measure(broker, topic);
      LoadConfig config =
          LoadConfig.builder()
              .serviceUrl(broker.process().serviceUrl())
              .topic(topic)
              .broadcast(SUBSCRIPTION)
              .consumers(consumers)
              .connections(CONNECTIONS)
              .messages(MESSAGES)
              .build();
      try (ConsumerFleet fleet = new ConsumerFleet(config)) {
        fleet.start();
        fleet.awaitSubscribed(TIMEOUT);
        Messages.publish(broker, topic, 0, MESSAGES);
        System.out.printf("%,d consumers%n", fleet.subscribed() + 1);
        measure(broker, topic);
        // The broker rewrites its own statistics once a minute.
        Thread.sleep(Duration.ofSeconds(70).toMillis());
        measure(broker, topic);
      }
      one.close();
    }
  }

  private static void measure(Broker broker, String topic) throws Exception {
    String path = topic.replace("persistent://", "/admin/v2/persistent/");
    for (String what :
        List.of(
            "/metrics/",
            path + "/stats",
            path + "/internalStats",
            "/admin/v2/broker-stats/topics")) {
      long[] millis = new long[REPETITIONS];
      String answer = "";
      for (int i = 0; i < REPETITIONS; i++) {
        long start = System.nanoTime();
        answer = Scrape.get(broker.process(), what);
        millis[i] = (System.nanoTime() - start) / 1_000_000;
      }
      Arrays.sort(millis);
      System.out.printf(
          "  %-32s %,6d ms (median of %d; slowest %,d), %,10d bytes, %,6d lines%n",
          what.replace(topic.substring(topic.lastIndexOf('/') + 1), "..."),
          millis[REPETITIONS / 2],
          REPETITIONS,
          millis[REPETITIONS - 1],
          answer.getBytes(StandardCharsets.UTF_8).length,
          answer.lines().count());
    }
  }
}
