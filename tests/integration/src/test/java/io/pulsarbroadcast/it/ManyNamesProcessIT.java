/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.benchmark.server.Jcmd;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.ConsumerBusyException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * I8: a client that leaves ever more names behind is stopped at the limit, takes no memory and
 * storage beyond it, and costs the others nothing. {@code -Dmany.names=1000000} says how many
 * names, {@code -Dmany.names.limit=100000} the limit. The client logs each refusal, unless told not
 * to: {@code -Dorg.slf4j.simpleLogger.log.org.apache.pulsar.client.impl.ClientCnx=error}.
 */
class ManyNamesProcessIT {

  private static final String LIMIT_KEY = "broadcastMaxPositionsPerSubscription";
  private static final int NAMES = Integer.getInteger("many.names", 0);
  private static final int LIMIT = Integer.getInteger("many.names.limit", 100_000);
  private static final int HEAP_MEGABYTES = Integer.getInteger("many.names.heap.mb", 1024);
  private static final int OTHERS = 10;
  private static final int UNDER_WAY = 1_000;
  private static final int PUBLISH_MILLIS = 20;
  private static final double MEGABYTE = 1 << 20;

  private record Memory(double heapMegabytes, double logMegabytes) {}

  @Test
  @EnabledIfSystemProperty(
      named = "many.names",
      matches = "\\d+",
      disabledReason = "it takes minutes; say how many names, -Dmany.names=1000000")
  void shouldStopAClientThatLeavesEverMoreNamesBehind() throws Exception {
    String topic = Broker.newTopic();
    try (Broker broker =
            Broker.start(
                BrokerExtension.newBroker()
                    .heapMegabytes(HEAP_MEGABYTES)
                    .jvmOption(BrokerExtension.LEAK_DETECTION + "Disabled")
                    .setting(LIMIT_KEY, "" + LIMIT));
        PulsarClient flooding = broker.newClient();
        Others others = new Others(broker, topic)) {
      RawConnection connection = new RawConnection(broker, flooding);
      Memory before = memory(broker, topic);
      int room = LIMIT - OTHERS;

      long startNanos = System.nanoTime();
      AtomicInteger refused = leave(connection, topic, 0, room);
      System.out.printf("%,d names left behind in %d s%n", room, seconds(startNanos));
      assertThat(refused).hasValue(0);
      Memory atLimit = memory(broker, topic);

      startNanos = System.nanoTime();
      refused = leave(connection, topic, room, NAMES);
      System.out.printf("%,d names refused in %d s%n", refused.get(), seconds(startNanos));
      assertThat(refused).hasValue(NAMES - room);
      Memory after = memory(broker, topic);
      System.out.printf("Before: %s%nAt the limit: %s%nAfter: %s%n", before, atLimit, after);
      assertThat(after.heapMegabytes).as("heap").isCloseTo(atLimit.heapMegabytes, within(32.0));
      assertThat(after.logMegabytes)
          .as("positions log")
          .isLessThan(Math.max(atLimit.logMegabytes, 1) * 3);
      assertThat(Subscriptions.stats(broker, topic, "all").getSubscriptionProperties())
          .containsEntry("pulsar.broadcast.positions.waiting", "" + room);

      assertThatThrownBy(() -> broker.broadcast(topic, "all", "new").subscribe())
          .isInstanceOf(ConsumerBusyException.class)
          .hasMessageContaining(LIMIT_KEY + "=" + LIMIT);
      broker.broadcast(topic, "all", "name-0").subscribe().close();
      others.assertGotEverythingInOrder();
    }
  }

  private static long seconds(long sinceNanos) {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNanos);
  }

  /**
   * Subscribes and closes consumers of these names over one connection.
   *
   * @return how many were refused, each for the limit
   */
  private static AtomicInteger leave(RawConnection connection, String topic, int from, int to)
      throws Exception {
    AtomicInteger refused = new AtomicInteger();
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    Semaphore underWay = new Semaphore(UNDER_WAY);
    for (int i = from; i < to; i++) {
      underWay.acquire();
      long consumerId = i;
      connection
          .subscribe(consumerId, topic, "name-" + i)
          .handle((subscribed, e) -> e)
          .thenCompose(
              e -> {
                if (e == null) {
                  return connection.close(consumerId);
                }
                if (e.getMessage().contains(LIMIT_KEY + "=" + LIMIT)) {
                  refused.incrementAndGet();
                  return CompletableFuture.completedFuture(null);
                }
                return CompletableFuture.failedFuture(e);
              })
          .whenComplete(
              (done, e) -> {
                if (e != null) {
                  failures.add(e);
                }
                underWay.release();
              });
    }
    underWay.acquire(UNDER_WAY);
    assertThat(failures).isEmpty();
    return refused;
  }

  private static Memory memory(Broker broker, String topic) throws Exception {
    return new Memory(
        new Jcmd(ProcessHandle.of(broker.process().pid()).orElseThrow())
                .classHistogram()
                .totalBytes()
            / MEGABYTE,
        Scrape.of(broker.process())
                .value(
                    "pulsar_broadcast_positions_store_bytes", "topic", topic, "subscription", "all")
            / MEGABYTE);
  }

  /** Consumers of the same subscription that behave, and their producer. */
  private static final class Others implements AutoCloseable {
    private final List<Consumer<String>> consumers = new ArrayList<>();
    private final List<Queue<String>> received = new ArrayList<>();
    private final AtomicLong slowestMillis = new AtomicLong();
    private final AtomicInteger published = new AtomicInteger();
    private final ScheduledExecutorService publishing =
        Executors.newSingleThreadScheduledExecutor();
    private final PulsarClient client;

    Others(Broker broker, String topic) throws Exception {
      client = broker.newClient();
      for (int i = 0; i < OTHERS; i++) {
        Queue<String> values = new ConcurrentLinkedQueue<>();
        received.add(values);
        consumers.add(
            client
                .newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("all")
                .consumerName("other-" + i)
                .property("pulsar.subscription.type", "Broadcast")
                .messageListener((consumer, message) -> take(consumer, message, values))
                .subscribe());
      }
      Producer<String> producer = client.newProducer(Schema.STRING).topic(topic).create();
      publishing.scheduleAtFixedRate(
          () -> producer.sendAsync("" + published.getAndIncrement()),
          0,
          PUBLISH_MILLIS,
          TimeUnit.MILLISECONDS);
    }

    private void take(Consumer<String> consumer, Message<String> message, Queue<String> values) {
      slowestMillis.accumulateAndGet(
          System.currentTimeMillis() - message.getPublishTime(), Math::max);
      values.add(message.getValue());
      consumer.acknowledgeAsync(message);
    }

    void assertGotEverythingInOrder() throws InterruptedException {
      publishing.shutdown();
      assertThat(publishing.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
      List<String> sent = IntStream.range(0, published.get()).mapToObj(i -> "" + i).toList();
      for (Queue<String> values : received) {
        await()
            .atMost(Duration.ofMinutes(1))
            .untilAsserted(() -> assertThat(values).hasSizeGreaterThanOrEqualTo(sent.size()));
        assertThat(List.copyOf(values)).as("I1, I2").isEqualTo(sent);
      }
      System.out.printf(
          "%d others were each sent %,d messages and received them in order, the slowest after %d ms%n",
          OTHERS, sent.size(), slowestMillis.get());
    }

    @Override
    public void close() throws PulsarClientException {
      publishing.shutdownNow();
      client.shutdown();
    }
  }
}
