/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.SubscriptionType;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SizeUnit;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.apache.pulsar.common.policies.data.TenantInfo;
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

  private static final String NAMESPACE = "moving/topics";
  private static final String TOPIC = "persistent://" + NAMESPACE + "/area-7";
  private static final int MOVES = 10;

  /** The moves, counted from 1, that a SIGKILL makes. */
  private static final List<Integer> KILLS = List.of(4, 8);

  private static final int STOCK_CONSUMERS = 10;
  private static final int EXTENSION_CONSUMERS = 10;

  /**
   * A consumer that is there before the first message and after the last. It holds the
   * subscription's position, which else would be where the others start after a crash, whatever is
   * stored of theirs.
   */
  private static final String AWAY = "away";

  private static final int CONSUMERS_PER_CLIENT = 5;
  private static final int MESSAGES_PER_SECOND = 200;

  /** Messages that everybody must have received, of those sent after a move, before the next. */
  private static final int MESSAGES_BETWEEN_MOVES = 200;

  private static final Duration MOVE_TIMEOUT = Duration.ofMinutes(2);

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

  private final List<CountingConsumer> consumers = new ArrayList<>();
  private final List<PulsarClient> clients = new ArrayList<>();
  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger confirmed = new AtomicInteger();
  private volatile boolean stopped;

  @Test
  void shouldLoseNothingWhenTheTopicMovesUnderLoad() throws Exception {
    try (PulsarCluster cluster = PulsarCluster.start(Images.pulsarWithPlugin());
        PulsarAdmin admin = PulsarAdmin.builder().serviceHttpUrl(cluster.adminUrl()).build()) {
      createNamespace(admin);
      try {
        connect(cluster);
        Thread load = new Thread(() -> publish(cluster.serviceUrl()), "load");
        load.start();
        awaitDelivered(MESSAGES_BETWEEN_MOVES);
        for (int move = 1; move <= MOVES; move++) {
          move(cluster, admin, move);
        }
        stopped = true;
        load.join();
        checkNothingIsLost(admin);
      } finally {
        stopped = true;
        for (PulsarClient client : clients) {
          client.close();
        }
      }
    }
  }

  private void move(PulsarCluster cluster, PulsarAdmin admin, int move) throws Exception {
    String from = owner(admin);
    String to = from.equals("broker-1") ? "broker-2" : "broker-1";
    boolean kill = KILLS.contains(move);
    if (kill) {
      awaitDelivered(sent.get() + MESSAGES_BEFORE_KILL);
    }
    int duplicatesBefore = duplicates();
    List<CountingConsumer.Move> moves = consumers.stream().map(CountingConsumer::moving).toList();
    long startNanos = System.nanoTime();
    if (kill) {
      cluster.kill(from);
      await()
          .atMost(MOVE_TIMEOUT)
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(owner(admin)).as("owner of the topic").isEqualTo(to));
    } else {
      unloadTo(admin, to);
    }
    awaitDelivered(sent.get() + MESSAGES_BETWEEN_MOVES);
    System.out.printf(
        "Move %d of %d, %s -> %s by %s: everybody served again after %d ms, %d deliveries were"
            + " repeated, %d of them acknowledged with a receipt%n",
        move,
        MOVES,
        from,
        to,
        kill ? "SIGKILL" : "unload",
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos),
        duplicates() - duplicatesBefore,
        moves.stream().mapToInt(CountingConsumer.Move::redelivered).sum());
    checkRepeated(moves, kill);
    if (kill) {
      cluster.restart(from);
      await()
          .atMost(MOVE_TIMEOUT)
          .ignoreExceptions()
          .until(() -> admin.brokers().getActiveBrokers(PulsarCluster.NAME).size() == 2);
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

  /**
   * Unloads the topic until it is at the given broker. Where an unloaded bundle is to go is a wish:
   * the leader forgets it with the first lookup of any bundle of that range, so a second lookup
   * that overtakes the first may bring the topic back to where it was.
   */
  private static void unloadTo(PulsarAdmin admin, String to) {
    await()
        .atMost(MOVE_TIMEOUT)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofSeconds(1))
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              if (!owner(admin).equals(to)) {
                admin
                    .namespaces()
                    .unloadNamespaceBundle(
                        NAMESPACE,
                        admin.lookups().getBundleRange(TOPIC),
                        PulsarCluster.brokerId(to));
              }
              assertThat(owner(admin)).as("owner of the topic").isEqualTo(to);
            });
  }

  private void checkNothingIsLost(PulsarAdmin admin) throws PulsarClientException {
    stockConsumer(clients.get(0), AWAY, newConsumer());
    int expected = confirmed.get();
    assertThat(expected).isEqualTo(sent.get()).isGreaterThan(MOVES * MESSAGES_BETWEEN_MOVES);
    awaitDelivered(expected);
    assertThat(consumers).allSatisfy(consumer -> assertThat(consumer.outOfOrder()).isZero());
    await()
        .atMost(MOVE_TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(consumers)
                    .as("what is said of receipts is said of nearly all messages")
                    .allSatisfy(c -> assertThat(c.receipts()).isGreaterThan(expected / 2)));
    await()
        .atMost(MOVE_TIMEOUT)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              SubscriptionStats stats =
                  admin.topics().getStats(TOPIC).getSubscriptions().get("alerts");
              assertThat(stats.getConsumers()).hasSameSizeAs(consumers);
              assertThat(stats.getMsgBacklog()).as("backlog").isZero();
            });
    System.out.printf(
        "%d consumers received each of %d messages; %d moves, %d of them by SIGKILL; %d deliveries"
            + " were repeated%n",
        consumers.size(), expected, MOVES, KILLS.size(), duplicates());
  }

  private static void createNamespace(PulsarAdmin admin) throws PulsarAdminException {
    admin
        .tenants()
        .createTenant(
            "moving",
            TenantInfo.builder().allowedClusters(java.util.Set.of(PulsarCluster.NAME)).build());
    admin.namespaces().createNamespace(NAMESPACE);
    admin.topics().createNonPartitionedTopic(TOPIC);
  }

  /**
   * Half the consumers are of the stock kind, half come through the extension. None groups its
   * acknowledgements: a client that does reports those made without a connection as done.
   */
  private void connect(PulsarCluster cluster) throws PulsarClientException {
    for (int i = 0; i < STOCK_CONSUMERS; i++) {
      stockConsumer(client(cluster, i), "stock-" + i, newConsumer());
    }
    stockConsumer(clients.get(0), AWAY, new CountingConsumer()).close();
    for (int i = 0; i < EXTENSION_CONSUMERS; i++) {
      CountingConsumer consumer = newConsumer();
      BroadcastClient.wrap(client(cluster, i))
          .newConsumer(Schema.INT32)
          .topic(TOPIC)
          .subscriptionName("alerts")
          .subscriptionType(SubscriptionType.Broadcast)
          .consumerName("extension-" + i)
          .isAckReceiptEnabled(true)
          .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
          .messageListener(consumer)
          .subscribe();
    }
  }

  private Consumer<Integer> stockConsumer(
      PulsarClient client, String name, CountingConsumer listener) throws PulsarClientException {
    return client
        .newConsumer(Schema.INT32)
        .topic(TOPIC)
        .subscriptionName("alerts")
        .property("pulsar.subscription.type", "Broadcast")
        .consumerName(name)
        .isAckReceiptEnabled(true)
        .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
        .messageListener(listener)
        .subscribe();
  }

  private CountingConsumer newConsumer() {
    CountingConsumer consumer = new CountingConsumer();
    consumers.add(consumer);
    return consumer;
  }

  /** A new client for every few consumers, so that several share one connection. */
  private PulsarClient client(PulsarCluster cluster, int consumer) throws PulsarClientException {
    if (consumer % CONSUMERS_PER_CLIENT == 0) {
      clients.add(newClient(cluster.serviceUrl()));
    }
    return clients.get(clients.size() - 1);
  }

  private static PulsarClient newClient(String serviceUrl) throws PulsarClientException {
    return PulsarClient.builder()
        .serviceUrl(serviceUrl)
        .memoryLimit(16, SizeUnit.MEGA_BYTES)
        .maxBackoffInterval(1, TimeUnit.SECONDS)
        .build();
  }

  /** Publishes until told to stop; what is under way when a broker dies is sent again. */
  private void publish(String serviceUrl) {
    try (PulsarClient client = newClient(serviceUrl);
        Producer<Integer> producer =
            client
                .newProducer(Schema.INT32)
                .topic(TOPIC)
                .enableBatching(false)
                .sendTimeout(0, TimeUnit.SECONDS)
                .blockIfQueueFull(true)
                .create()) {
      long startNanos = System.nanoTime();
      while (!stopped) {
        long due = (System.nanoTime() - startNanos) * MESSAGES_PER_SECOND / 1_000_000_000L;
        while (sent.get() < due) {
          producer.sendAsync(sent.getAndIncrement()).thenRun(confirmed::incrementAndGet);
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
      producer.flush();
    } catch (PulsarClientException | InterruptedException e) {
      throw new IllegalStateException("Publishing failed", e);
    }
  }

  private void awaitDelivered(int count) {
    await()
        .atMost(MOVE_TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(consumers.stream().mapToInt(CountingConsumer::count).min().orElse(0))
                    .as("messages that the slowest consumer has received")
                    .isGreaterThanOrEqualTo(count));
  }

  private int duplicates() {
    return consumers.stream().mapToInt(CountingConsumer::again).sum();
  }

  private static String owner(PulsarAdmin admin) throws PulsarAdminException {
    return URI.create(admin.lookups().lookupTopic(TOPIC)).getHost();
  }
}
