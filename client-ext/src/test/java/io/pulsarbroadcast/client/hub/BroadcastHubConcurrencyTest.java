/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sessions that request, acknowledge, close and return on several threads, while messages come:
 * each name receives everything, in order, and what it has acknowledged is not repeated.
 */
@Timeout(300)
class BroadcastHubConcurrencyTest {
  private static final int MESSAGES = 20_000;
  private static final int NAMES = 20;
  private static final int MAX_MESSAGES = 500;

  private final FakeConsumer wire = new FakeConsumer();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

  /** A name that closes its session now and then, and opens another. */
  private final class Car {
    private final String name;
    private final BroadcastHub<String> hub;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicInteger acknowledged = new AtomicInteger(-1);

    Car(String name, BroadcastHub<String> hub) {
      this.name = name;
      this.hub = hub;
    }

    void open() {
      // What was received and not acknowledged is received again.
      hub.open(name, SubscriptionInitialPosition.Earliest, new Drive(acknowledged.get() + 1));
    }

    private final class Drive extends RecordingSubscriber {
      private int next;

      Drive(int next) {
        super(1 + ThreadLocalRandom.current().nextInt(10));
        this.next = next;
      }

      @Override
      void received(Message<String> message) {
        if (!busy.compareAndSet(false, true)) {
          wrong.add(name + " is called twice at a time");
        }
        int number = Integer.parseInt(message.getValue().substring("message-".length()));
        if (number != next) {
          wrong.add(name + " received " + number + " instead of " + next);
        }
        next = number + 1;
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (random.nextInt(3) == 0 || number == MESSAGES - 1) {
          acknowledged.set(number);
          session.acknowledge(
              random.nextBoolean()
                  ? message.getMessageId()
                  : parsed(message.getMessageId().toByteArray()));
        }
        session.request(1);
        boolean leaves = random.nextInt(200) == 0;
        if (leaves) {
          session.close();
        }
        busy.set(false);
        if (leaves) {
          open();
        }
      }
    }
  }

  private static MessageId parsed(byte[] bytes) {
    try {
      return MessageId.fromByteArray(bytes);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void shouldGiveEachNameEverythingInOrder() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (BroadcastHub<String> hub =
        wire.hub()
            .executor(threads)
            .resumeTime(Duration.ZERO)
            .maxMessages(MAX_MESSAGES)
            .subscribe()) {
      List<Car> cars = new ArrayList<>();
      for (int i = 0; i < NAMES; i++) {
        cars.add(new Car("car-" + i, hub));
      }
      cars.forEach(Car::open);
      hub.open("dead", SubscriptionInitialPosition.Latest, new RecordingSubscriber(0));
      for (int i = 0; i < MESSAGES; i++) {
        int number = i; // None but the dead one is ever too far behind.
        await(() -> number - slowest(cars) < MAX_MESSAGES / 2);
        wire.send(i);
        if (i % 100 == 0) {
          wire.send(Math.max(0, i - ThreadLocalRandom.current().nextInt(MAX_MESSAGES)));
        }
      }
      await(() -> slowest(cars) == MESSAGES - 1 && hub.heldMessages() == 0);
      assertThat(wrong).isEmpty();
      assertThat(hub.endedSessions()).as("the dead one").isEqualTo(1);
      assertThat(hub.openSessions()).isEqualTo(NAMES);
      assertThat(wire.acknowledgements()).hasSize(MESSAGES);
    } finally {
      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  /** Each message is sent as soon as the one before has been received. */
  @Test
  void shouldMissNoMessageThatComesAsATaskEnds() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (BroadcastHub<String> hub =
        wire.hub().executor(thread).resumeTime(Duration.ZERO).subscribe()) {
      AtomicInteger received = new AtomicInteger();
      hub.open(
          "car",
          SubscriptionInitialPosition.Latest,
          new RecordingSubscriber(Long.MAX_VALUE) {
            @Override
            public void onNext(Message<String> message) {
              session.acknowledge(message.getMessageId());
              received.incrementAndGet();
            }
          });
      for (int i = 0; i < 5 * MESSAGES; i++) {
        wire.send(i);
        int sent = i + 1;
        await(() -> received.get() == sent);
      }
    } finally {
      thread.shutdown();
    }
  }

  private static int slowest(List<Car> cars) {
    return cars.stream().mapToInt(car -> car.acknowledged.get()).min().orElseThrow();
  }

  private void await(java.util.function.BooleanSupplier condition) {
    long startNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(wrong).isEmpty();
      assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.MINUTES.toNanos(2));
      Thread.onSpinWait();
    }
  }
}
