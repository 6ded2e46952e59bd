/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.BroadcastConfig.AckThreads;
import io.pulsarbroadcast.broker.BroadcastConfig.DispatchThreads;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.bookkeeper.common.util.OrderedExecutor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** All pairs of the two settings. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class ExecutorPolicyTest {

  private static final int TASKS = 200;

  /** So many that the four subscriptions have four of them. */
  private static final int THREADS = 64;

  private static OrderedExecutor threads;

  @BeforeAll
  static void start() {
    threads = OrderedExecutor.newBuilder().name("ordered").numThreads(THREADS).build();
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
  }

  static Stream<Arguments> allPairs() {
    return Stream.of(DispatchThreads.values())
        .flatMap(
            dispatch -> Stream.of(AckThreads.values()).map(acks -> Arguments.of(dispatch, acks)));
  }

  /** I2 is this order's doing; whoever works for a subscription does one thing after the other. */
  @ParameterizedTest
  @MethodSource("allPairs")
  void shouldReadInOrderOnTheThreadOfTheKey(DispatchThreads dispatch, AckThreads acks)
      throws Exception {
    Subscriptions all = new Subscriptions(dispatch, acks);
    Seen a1 = Seen.of(all.a1.reader());
    Seen a2 = Seen.of(all.a2.reader());
    Seen b1 = Seen.of(all.b1.reader());

    assertThat(List.of(a1, a2, b1)).allSatisfy(Seen::assertOneThreadInOrder);
    assertThat(a1.threads).doesNotContainAnyElementsOf(b1.threads);
    if (dispatch == DispatchThreads.TOPIC) {
      assertThat(a1.threads).isEqualTo(a2.threads);
    } else {
      assertThat(a1.threads).doesNotContainAnyElementsOf(a2.threads);
    }
  }

  @ParameterizedTest
  @MethodSource("allPairs")
  void shouldFanOutOnTheEventLoopOrWithTheReader(DispatchThreads dispatch, AckThreads acks) {
    ExecutorPolicy policy = new Subscriptions(dispatch, acks).a1;
    Executor expected = dispatch == DispatchThreads.CONNECTION ? null : policy.reader();

    assertThat(policy.fanout()).isSameAs(expected);
  }

  @ParameterizedTest
  @MethodSource("allPairs")
  void shouldTakeAcknowledgementsOnTheThreadOfTheSetting(DispatchThreads dispatch, AckThreads acks)
      throws Exception {
    Subscriptions all = new Subscriptions(dispatch, acks);
    assertThat(all.a1.takesAcksAtOnce()).isEqualTo(acks == AckThreads.IO);
    if (acks == AckThreads.IO) {
      return;
    }
    Seen a1 = Seen.of(all.a1::acknowledge);
    Seen a2 = Seen.of(all.a2::acknowledge);
    Seen b1 = Seen.of(all.b1::acknowledge);

    switch (acks) {
      case RANDOM -> assertThat(a1.threads).hasSizeGreaterThan(1);
      case SUBSCRIPTION -> {
        assertThat(List.of(a1, a2, b1)).allSatisfy(Seen::assertOneThreadInOrder);
        assertThat(a1.threads).doesNotContainAnyElementsOf(a2.threads);
      }
      case TOPIC -> {
        assertThat(List.of(a1, a2, b1)).allSatisfy(Seen::assertOneThreadInOrder);
        assertThat(a1.threads).isEqualTo(a2.threads).doesNotContainAnyElementsOf(b1.threads);
      }
      default -> throw new AssertionError(acks);
    }
  }

  /** Two subscriptions of one topic, and one of another, with the settings as a file has them. */
  private static final class Subscriptions {
    final ExecutorPolicy a1;
    final ExecutorPolicy a2;
    final ExecutorPolicy b1;

    Subscriptions(DispatchThreads dispatch, AckThreads acks) {
      Properties settings = new Properties();
      settings.setProperty("broadcastDispatchExecutor", dispatch.name());
      settings.setProperty("broadcastAckExecutor", acks.name());
      BroadcastConfig config = BroadcastConfig.from(settings);
      a1 = new ExecutorPolicy(config, threads, "topic-a", "1");
      a2 = new ExecutorPolicy(config, threads, "topic-a", "2");
      b1 = new ExecutorPolicy(config, threads, "topic-b", "1");
    }
  }

  /** Where, and in which order, tasks were run. */
  private record Seen(Set<Thread> threads, List<Integer> order) {

    static Seen of(Executor executor) throws InterruptedException {
      Set<Thread> threads = Collections.synchronizedSet(new HashSet<>());
      List<Integer> order = Collections.synchronizedList(new ArrayList<>());
      CountDownLatch done = new CountDownLatch(TASKS);
      for (int i = 0; i < TASKS; i++) {
        int number = i;
        executor.execute(
            () -> {
              threads.add(Thread.currentThread());
              order.add(number);
              done.countDown();
            });
      }
      done.await();
      return new Seen(threads, order);
    }

    void assertOneThreadInOrder() {
      assertThat(threads).singleElement().isNotSameAs(Thread.currentThread());
      assertThat(order).isEqualTo(IntStream.range(0, TASKS).boxed().toList());
    }
  }
}
