/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.config.LocalServer;
import io.pulsarbroadcast.benchmark.metrics.Median;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What the plugin costs those that do not use it (I9). The main thread calls it.
 *
 * <p>Both brokers run all the time and are loaded in turn, so that a slow minute of the machine
 * meets both: without, with, with, without and so on. One stock producer sends as fast as it may;
 * four stock consumers of one Shared subscription acknowledge each message.
 */
@Command(
    name = "stock-rates",
    header = "What a stock subscription costs on a broker with the plugin and on one without.",
    description =
        "Publishes 1 KB messages as fast as possible to a stock Shared subscription with four"
            + " consumers, on a broker with the plugin and on one without, in turn.")
public final class StockRatesCommand extends BenchSubcommand {
  private static final int MESSAGE_BYTES = 1_024;
  private static final int CONSUMERS = 4;
  private static final Duration DRAIN_LIMIT = Duration.ofMinutes(1);
  private static final long POLL_MILLIS = 5;

  @Option(names = "--rounds", paramLabel = "N", description = "How often each broker is measured.")
  @Range(from = 1, to = 1_000)
  private int rounds = 6;

  @Option(names = "--seconds", paramLabel = "N", description = "Length of a round.")
  @Range(from = 1, to = 3_600)
  private int seconds = 10;

  /** Messages a second: acknowledged sends, and deliveries. */
  private record Rates(double published, double dispatched) {}

  @Override
  protected int measure(Session session) throws Exception {
    List<Rates> without = new ArrayList<>();
    List<Rates> with = new ArrayList<>();
    try (LoadServer plain = session.start(LocalServer.plain, Map.of());
        LoadServer withPlugin = session.start(LocalServer.plugin, Map.of())) {
      once(session, plain);
      once(session, withPlugin);
      for (int round = 1; round <= rounds; round++) {
        if (round % 2 == 1) {
          without.add(once(session, plain));
        }
        with.add(once(session, withPlugin));
        if (round % 2 == 0) {
          without.add(once(session, plain));
        }
        session.say("round %d of %d", round, rounds);
      }
    }
    ResultTable all =
        new ResultTable("round", "published/s", "with plugin", "dispatched/s", "with");
    for (int i = 0; i < rounds; i++) {
      all.row(
          Integer.toString(i + 1),
          without.get(i).published,
          with.get(i).published,
          without.get(i).dispatched,
          with.get(i).dispatched);
    }
    session.show("rounds", all);
    ResultTable medians =
        new ResultTable(
            "median",
            "without plugin",
            "with plugin",
            "ratio",
            "spread without, %",
            "spread with, %");
    add(medians, "published/s", without, with, Rates::published);
    add(medians, "dispatched/s", without, with, Rates::dispatched);
    session.show("result", medians);
    return session.finish(true, true);
  }

  private static void add(
      ResultTable table,
      String name,
      List<Rates> without,
      List<Rates> with,
      ToDoubleFunction<Rates> rate) {
    double[] a = without.stream().mapToDouble(rate).sorted().toArray();
    double[] b = with.stream().mapToDouble(rate).sorted().toArray();
    table.row(
        name,
        Median.ofSorted(a),
        Median.ofSorted(b),
        Median.ofSorted(b) / Median.ofSorted(a),
        spread(a),
        spread(b));
  }

  private static double spread(double[] sorted) {
    return 100 * (sorted[sorted.length - 1] - sorted[0]) / Median.ofSorted(sorted);
  }

  /** One round, on a topic of its own. */
  private Rates once(Session session, LoadServer server) throws IOException, InterruptedException {
    String topic = session.newTopic();
    AtomicLong received = new AtomicLong();
    try (PulsarClient client = PulsarClient.builder().serviceUrl(server.serviceUrl()).build()) {
      for (int i = 0; i < CONSUMERS; i++) {
        client
            .newConsumer()
            .topic(topic)
            .subscriptionName("shared")
            .subscriptionType(SubscriptionType.Shared)
            .messageListener(
                (consumer, message) -> {
                  consumer.acknowledgeAsync(message);
                  received.incrementAndGet();
                })
            .subscribe();
      }
      return publish(client, topic, received);
    } finally {
      session.forget(server, topic);
    }
  }

  private Rates publish(PulsarClient client, String topic, AtomicLong received)
      throws IOException, InterruptedException {
    byte[] payload = new byte[MESSAGE_BYTES];
    AtomicLong failed = new AtomicLong();
    long sent = 0;
    try (Producer<byte[]> producer =
        client.newProducer().topic(topic).blockIfQueueFull(true).create()) {
      long startNanos = System.nanoTime();
      while (secondsSince(startNanos) < seconds) {
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
      double publishSeconds = secondsSince(startNanos);
      if (failed.get() > 0) {
        throw new PulsarClientException(failed.get() + " of " + sent + " sends failed");
      }
      while (received.get() < sent) {
        if (secondsSince(startNanos) > publishSeconds + DRAIN_LIMIT.toSeconds()) {
          throw new IOException("Received %,d of %,d messages".formatted(received.get(), sent));
        }
        Thread.sleep(POLL_MILLIS);
      }
      return new Rates(sent / publishSeconds, sent / secondsSince(startNanos));
    }
  }

  private static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }
}
