/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BoundedCreationTest {
  private final ConnectTimes times = new ConnectTimes();

  private BoundedCreation creation(int concurrency, int attempts, int timeoutSeconds) {
    return new BoundedCreation(concurrency, attempts, timeoutSeconds, times);
  }

  @Test
  void shouldNeverHaveMoreUnansweredThanAllowed() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    BoundedCreation creation = creation(7, 1, 60);
    for (int i = 0; i < 200; i++) {
      creation.add(
          "c" + i,
          () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            CompletableFuture<String> result = new CompletableFuture<>();
            CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS)
                .execute(
                    () -> {
                      running.decrementAndGet();
                      result.complete("done");
                    });
            return result;
          });
    }

    creation.start().get();

    assertThat(most.get()).isBetween(2, 7);
    assertThat(times.ownMicros().getTotalCount()).isEqualTo(200);
    assertThat(times.sinceStartMicros().getMaxValue())
        .isLessThanOrEqualTo(times.wallMicros() + 1000);
    assertThat(creation.retries()).isZero();
  }

  @Test
  void shouldTryAgainWhatFails() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    BoundedCreation creation = creation(1, 3, 60);
    creation.add(
        "c",
        () -> {
          if (attempts.incrementAndGet() < 3) {
            throw new IllegalStateException("not yet");
          }
          return CompletableFuture.completedFuture("done");
        });

    creation.start().get();

    assertThat(attempts.get()).isEqualTo(3);
    assertThat(creation.retries()).isEqualTo(2);
  }

  @Test
  void shouldSayWhichOneCannotBeCreatedAndWhichSettingSaysSo() {
    BoundedCreation creation = creation(1, 2, 60);
    creation.add(
        "Consumer car-7",
        () -> CompletableFuture.failedFuture(new IllegalStateException("ConsumerBusy")));

    CompletableFuture<Void> done = creation.start();

    assertThatThrownBy(done::get)
        .hasMessageContaining("Consumer car-7 could not be created in 2 attempts")
        .hasMessageContaining("consumer.creationAttempts")
        .hasMessageContaining("ConsumerBusy");
  }

  @Test
  void shouldNotWaitForever() {
    ConcurrentLinkedQueue<CompletableFuture<?>> never = new ConcurrentLinkedQueue<>();
    BoundedCreation creation = creation(1, 2, 1);
    creation.add(
        "c",
        () -> {
          never.add(new CompletableFuture<>());
          return never.peek();
        });

    CompletableFuture<Void> done = creation.start();

    assertThatThrownBy(done::get)
        .hasMessageContaining("0 of 1 consumers were created within 1 s")
        .hasMessageContaining("consumer.creationTimeoutSeconds");
  }
}
