/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.process.PulsarCluster;
import io.pulsarbroadcast.process.PulsarProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A topic and its shadow topics on three brokers of a cluster, which come and go. */
@Tag("complete")
class ShadowClusterProcessIT {

  private static final int CONSUMERS = Integer.getInteger("shadow.consumers", 60);

  private static final boolean BY_NAME = System.getProperty("shadow.consumers") != null;

  /** Between two messages. */
  private static final int MILLIS = Integer.getInteger("shadow.millis", 20);

  /** Of each consumer, before something else happens. */
  private static final int RECEIVED = 20;

  /** Ten seconds' messages, so that the source would trim what nobody holds. */
  private static final String LEDGER_ENTRIES = String.valueOf(10_000 / MILLIS);

  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private final Map<String, List<Integer>> received = new LinkedHashMap<>();
  private final List<Consumer<String>> consumers = new ArrayList<>();
  private final AtomicInteger published = new AtomicInteger();
  private volatile boolean paused;
  private long connectedMillis;
  private PulsarAdmin admin;
  private BroadcastClient client;

  /** I1, I2 and I3 of each consumer, and I5: only a crash repeats. */
  @Test
  void shouldMissNothingWhileShadowTopicsAndBrokersComeAndGo() throws Exception {
    ScheduledExecutorService publisher = Executors.newSingleThreadScheduledExecutor();
    try (PulsarCluster cluster =
            PulsarCluster.start(
                BrokerExtension.newBroker()
                    .jvmOption(BrokerExtension.LEAK_DETECTION + "Disabled")
                    .setting("metadataStoreSessionTimeoutMillis", "6000")
                    .setting("managedLedgerMaxEntriesPerLedger", LEDGER_ENTRIES)
                    .setting("managedLedgerMinLedgerRolloverTimeMinutes", "0")
                    // Each topic is to stay at its broker.
                    .setting("loadBalancerSheddingEnabled", "false")
                    .setting("loadBalancerAutoBundleSplitEnabled", "false"),
                3);
        PulsarAdmin anyAdmin =
            PulsarAdmin.builder().serviceHttpUrl(cluster.brokers().get(0).adminUrl()).build();
        PulsarClient pulsar =
            PulsarClient.builder()
                .maxBackoffInterval(5, TimeUnit.SECONDS)
                .serviceUrl(
                    cluster.brokers().stream()
                        .map(broker -> broker.serviceUrl().substring("pulsar://".length()))
                        .collect(Collectors.joining(",", "pulsar://", "")))
                .build()) {
      admin = anyAdmin;
      client = BroadcastClient.wrap(pulsar);
      String source = at(cluster.brokers().get(0), "source");
      String second = at(cluster.brokers().get(1), "second");
      String third = at(cluster.brokers().get(2), "third");
      admin
          .topics()
          .createNonPartitionedTopic(source, Map.of("pulsar.broadcast.position.scope", "shadows"));
      for (String shadow : List.of(second, third)) {
        admin.topics().createShadowTopic(shadow, source);
        RetentionPolicies all = new RetentionPolicies(-1, -1);
        admin.topicPolicies().setRetention(shadow, all);
        await()
            .atMost(TIMEOUT)
            .untilAsserted(
                () -> assertThat(admin.topicPolicies().getRetention(shadow, true)).isEqualTo(all));
        admin.schemas().createSchema(shadow, Schema.STRING.getSchemaInfo());
      }
      admin.topics().setShadowTopics(source, List.of(second, third));
      consumer("absent", second, List.of()).subscribe().close();
      try (Producer<String> producer = client.newProducer(Schema.STRING).topic(source).create()) {
        publisher.scheduleWithFixedDelay(
            () -> {
              if (!paused) {
                producer.sendAsync(Integer.toString(published.getAndIncrement()));
              }
            },
            0,
            MILLIS,
            TimeUnit.MILLISECONDS);

        subscribe(source, List.of(second));
        awaitReceived();
        subscribe(source, List.of(second, third));
        awaitReceived();
        for (String topic : List.of(source, second, third)) {
          assertThat(consumers.stream().filter(each -> each.getTopic().equals(topic)).count())
              .as("about a third at %s", topic)
              .isBetween(CONSUMERS / 6L, CONSUMERS / 2L);
        }
        // A shadow topic that has just been loaded does not know the last message.
        assertRepeatedAtMost(1);
        report("after a shadow topic was added");

        cluster.brokers().get(1).kill();
        awaitReceived();
        // What was not stored within a second, in a busy machine's time.
        assertRepeatedAtMost(500);
        report("after a broker was killed");
        subscribe(source, List.of(third));
        int repeated = repeated();
        awaitReceived();
        subscribe(source, List.of());
        awaitReceived();
        assertThat(repeated() - repeated)
            .as("by a move: at most what a consumer was just about to acknowledge")
            .isBetween(0, CONSUMERS);
        report("after two shadow topics were removed");
        try (Consumer<String> returned = consumer("absent", source, List.of()).subscribe()) {
          int all = published.get();
          assertThat(receiveAndAck(returned, all))
              .as("I3: the source holds what it needs")
              .isEqualTo(IntStream.range(0, all).mapToObj(Integer::toString).toList());
        }
      }
    } finally {
      publisher.shutdownNow();
    }
    received.forEach(
        (name, values) ->
            assertThat(values.stream().distinct().toList())
                .as("all that was published since %s came, in order", name)
                .isEqualTo(
                    IntStream.rangeClosed(
                            values.get(0), values.stream().mapToInt(i -> i).max().orElse(0))
                        .boxed()
                        .toList()));
  }

  /** A topic whose namespace a broker is to have. */
  private String at(PulsarProcess broker, String name) throws Exception {
    String namespace = "public/" + name;
    admin.namespaces().createNamespace(namespace, 1);
    String owner = broker.adminUrl().substring("http://".length());
    String topic = "persistent://" + namespace + "/topic";
    await()
        .atMost(TIMEOUT)
        .ignoreExceptions()
        .until(
            () -> {
              if (!broker.serviceUrl().equals(admin.lookups().lookupTopic(topic))) {
                admin.namespaces().unloadNamespaceBundle(namespace, "0x00000000_0xffffffff", owner);
              }
              return broker.serviceUrl().equals(admin.lookups().lookupTopic(topic));
            });
    return topic;
  }

  /** Subscribes all consumers, after those that there are have had everything, and been closed. */
  private void subscribe(String source, List<String> shadows) throws Exception {
    paused = true;
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                received.forEach(
                    (name, values) -> assertThat(values).as(name).contains(published.get() - 1)));
    for (Consumer<String> consumer : consumers) {
      consumer.close();
    }
    consumers.clear();
    long begunNanos = System.nanoTime();
    List<CompletableFuture<Consumer<String>>> subscribing = new ArrayList<>();
    for (int i = 0; i < CONSUMERS; i++) {
      String name = "car-" + i;
      List<Integer> values = received.computeIfAbsent(name, key -> new CopyOnWriteArrayList<>());
      subscribing.add(
          consumer(name, source, shadows)
              .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
              .receiverQueueSize(10)
              .messageListener(
                  (consumer, message) -> {
                    values.add(Integer.valueOf(message.getValue()));
                    consumer.acknowledgeAsync(message);
                  })
              .subscribeAsync());
    }
    for (CompletableFuture<Consumer<String>> each : subscribing) {
      consumers.add(each.get());
    }
    connectedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
    paused = false;
  }

  private ConsumerBuilder<String> consumer(String name, String source, List<String> shadows) {
    return client
        .newConsumer(Schema.STRING)
        .topicWithShadows(source, shadows)
        .subscriptionName("all")
        .subscriptionType(SubscriptionType.Broadcast)
        .consumerName(name);
  }

  private void awaitReceived() {
    Map<String, Integer> before = new LinkedHashMap<>();
    received.forEach((name, values) -> before.put(name, values.size()));
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                received.forEach(
                    (name, values) ->
                        assertThat(values)
                            .as(name)
                            .hasSizeGreaterThan(before.get(name) + RECEIVED)));
  }

  private void report(String when) {
    if (BY_NAME) {
      System.out.printf(
          "%s: %d published, %d received, of which %d repeated; consumers by topic %s, connected in %.1f s%n",
          when,
          published.get(),
          received.values().stream().mapToInt(List::size).sum(),
          repeated(),
          consumers.stream()
              .collect(Collectors.groupingBy(Consumer::getTopic, Collectors.counting())),
          connectedMillis / 1e3);
    }
  }

  private int repeated() {
    return received.values().stream()
        .mapToInt(values -> values.size() - (int) values.stream().distinct().count())
        .sum();
  }

  /** A consumer that is closed may be sent again what its listener has just then. */
  private void assertRepeatedAtMost(int allowed) {
    received.forEach(
        (name, values) ->
            assertThat(values.size() - (int) values.stream().distinct().count())
                .as("repeated to %s", name)
                .isLessThanOrEqualTo(allowed));
  }
}
