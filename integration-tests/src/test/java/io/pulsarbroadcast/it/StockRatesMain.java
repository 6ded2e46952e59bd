/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageListener;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;
import org.awaitility.Awaitility;

/**
 * Measures I9: what a stock Shared subscription costs on a broker with the NAR and on one without,
 * side by side. Both brokers run all the time and are loaded in turn, so that a slow minute of the
 * machine meets both: without, with, with, without and so on.
 *
 * <p>One producer sends 1 KB messages as fast as it may (the stock client's batching), four
 * consumers acknowledge each. Publish rate: acknowledged sends over the time of sending. Dispatch
 * rate: deliveries over the time from the first send to the last delivery. The last lines are the
 * ratios of the medians, with / without, and the spread of the rounds as (max - min) / median.
 *
 * <p>To run it after {@code mvn verify} (two arguments: rounds for each broker, seconds of each):
 *
 * <pre>{@code
 * mvn -q -pl integration-tests dependency:build-classpath -Dmdep.outputFile=target/classpath.txt
 * cd integration-tests
 * java -Dpulsar.home=target/pulsar/apache-pulsar-3.3.6 -Dbroker.logs=target/broker-logs \
 *     -Dbroadcast.nar=../broker-plugin/target/pulsar-broadcast-broker-0.1.0-SNAPSHOT.nar \
 *     -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
 *     -cp target/test-classes:$(cat target/classpath.txt) io.pulsarbroadcast.it.StockRatesMain 6 10
 * }</pre>
 */
final class StockRatesMain {
  private static final int MESSAGE_BYTES = 1_024;
  private static final int CONSUMERS = 4;
  private static final int DEFAULT_ROUNDS = 6;
  private static final int DEFAULT_SECONDS = 10;

  private StockRatesMain() {}

  /** Messages a second. */
  private record Rates(double publish, double dispatch) {}

  public static void main(String[] arguments) throws Exception {
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : DEFAULT_ROUNDS;
    Duration time =
        Duration.ofSeconds(arguments.length > 1 ? Long.parseLong(arguments[1]) : DEFAULT_SECONDS);
    List<Rates> without = new ArrayList<>();
    List<Rates> with = new ArrayList<>();
    try (Broker plain = Broker.start(BrokerExtension.plainBroker().name("without"));
        Broker withNar = Broker.start(BrokerExtension.newBroker().name("with"))) {
      measure(plain, time);
      measure(withNar, time);
      System.out.printf("%-6s %-12s %14s %15s%n", "round", "broker", "published/s", "dispatched/s");
      for (int round = 1; round <= rounds; round++) {
        if (round % 2 == 1) {
          without.add(print(round, "without NAR", measure(plain, time)));
          with.add(print(round, "with NAR", measure(withNar, time)));
        } else {
          with.add(print(round, "with NAR", measure(withNar, time)));
          without.add(print(round, "without NAR", measure(plain, time)));
        }
      }
    }
    System.out.printf(
        "%n%-12s %14s %14s %8s %16s %13s%n",
        "median", "without NAR", "with NAR", "ratio", "spread without", "spread with");
    summarise("published/s", without, with, Rates::publish);
    summarise("dispatched/s", without, with, Rates::dispatch);
  }

  private static Rates print(int round, String broker, Rates rates) {
    System.out.printf(
        "%-6d %-12s %,14.0f %,15.0f%n", round, broker, rates.publish(), rates.dispatch());
    return rates;
  }

  private static void summarise(
      String name, List<Rates> without, List<Rates> with, ToDoubleFunction<Rates> rate) {
    double[] a = without.stream().mapToDouble(rate).sorted().toArray();
    double[] b = with.stream().mapToDouble(rate).sorted().toArray();
    System.out.printf(
        "%-12s %,14.0f %,14.0f %8.3f %15.1f%% %12.1f%%%n",
        name, median(a), median(b), median(b) / median(a), spread(a), spread(b));
  }

  private static double median(double[] sorted) {
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  private static double spread(double[] sorted) {
    return 100 * (Arrays.stream(sorted).max().orElseThrow() - sorted[0]) / median(sorted);
  }

  /** One round, on a topic of its own. */
  private static Rates measure(Broker broker, Duration time) throws Exception {
    String topic = Broker.newTopic();
    AtomicLong received = new AtomicLong();
    try (PulsarClient client = broker.newClient()) {
      for (int i = 0; i < CONSUMERS; i++) {
        client
            .newConsumer()
            .topic(topic)
            .subscriptionName("shared")
            .subscriptionType(SubscriptionType.Shared)
            .messageListener(acknowledging(received))
            .subscribe();
      }
      Rates rates = publish(client, topic, time, received);
      client.close();
      broker.admin().topics().delete(topic, true);
      return rates;
    }
  }

  private static MessageListener<byte[]> acknowledging(AtomicLong received) {
    return (Consumer<byte[]> consumer, org.apache.pulsar.client.api.Message<byte[]> message) -> {
      consumer.acknowledgeAsync(message);
      received.incrementAndGet();
    };
  }

  private static Rates publish(
      PulsarClient client, String topic, Duration time, AtomicLong received) throws Exception {
    byte[] payload = new byte[MESSAGE_BYTES];
    AtomicLong failed = new AtomicLong();
    long sent = 0;
    try (Producer<byte[]> producer =
        client.newProducer().topic(topic).blockIfQueueFull(true).create()) {
      long startNanos = System.nanoTime();
      while (System.nanoTime() - startNanos < time.toNanos()) {
        producer
            .sendAsync(payload)
            .exceptionally(
                e -> {
                  failed.incrementAndGet();
                  return null;
                });
        sent++;
      }
      producer.flush();
      double publishSeconds = (System.nanoTime() - startNanos) / 1e9;
      if (failed.get() > 0) {
        throw new IllegalStateException(failed.get() + " of " + sent + " sends failed");
      }
      long expected = sent;
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofMillis(5))
          .until(() -> received.get() >= expected);
      double dispatchSeconds = (System.nanoTime() - startNanos) / 1e9;
      return new Rates(sent / publishSeconds, sent / dispatchSeconds);
    }
  }
}
