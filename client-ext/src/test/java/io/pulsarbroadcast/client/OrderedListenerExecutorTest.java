/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.pulsar.client.api.Message;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Order, bounds and the end of {@link OrderedListenerExecutor}, on virtual threads from 21 on. */
@Timeout(120)
class OrderedListenerExecutorTest {
  private static final boolean VIRTUAL = Runtime.version().feature() >= 21;

  /** A million of 10,000 keys where threads are cheap. */
  private static final int MESSAGES = VIRTUAL ? 1_000_000 : 5_000;

  private static final int KEYS = VIRTUAL ? 10_000 : 200;

  /** Started, and not at their end. */
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private final AtomicInteger released = new AtomicInteger();

  /** What ended a thread of the executor. */
  private final Queue<Throwable> escaped = new ConcurrentLinkedQueue<>();

  private final CountDownLatch blocked = new CountDownLatch(1);
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Thread.UncaughtExceptionHandler handler =
      Thread.currentThread().getUncaughtExceptionHandler();
  private OrderedListenerExecutor executor;

  @AfterEach
  void close() {
    blocked.countDown();
    Thread.currentThread().setUncaughtExceptionHandler(handler);
    if (executor != null) {
      executor.close();
    }
    assertThat(escaped).isEmpty();
  }

  @Test
  void shouldCallInOrderPerKeyAndLeaveNoThread() throws Exception {
    executor = builder().maxConcurrency(500).build();
    Random random = new Random(11);
    int[] next = new int[KEYS];
    AtomicInteger disorder = new AtomicInteger();
    CountDownLatch called = new CountDownLatch(MESSAGES);
    int[] published = new int[KEYS];
    for (int i = 0; i < MESSAGES; i++) {
      int key = random.nextInt(KEYS);
      int number = published[key]++;
      long delayNanos = random.nextInt(100) == 0 ? random.nextInt(1_000_000) : 0;
      executor.execute(
          keyed("key-" + key),
          () -> {
            LockSupport.parkNanos(delayNanos);
            if (next[key] != number) {
              disorder.incrementAndGet();
            }
            next[key] = number + 1;
            called.countDown();
          });
    }
    assertThat(called.await(100, TimeUnit.SECONDS)).as("all are called").isTrue();
    assertThat(disorder).hasValue(0);
    assertThat(next).isEqualTo(published);
    assertNoThreadLeft();
  }

  @Test
  void shouldHoldUpNoOtherKeyByOneThatBlocks() throws Exception {
    executor = builder().build();
    executor.execute(keyed("slow"), this::block);
    Queue<String> called = new ConcurrentLinkedQueue<>();
    CountDownLatch others = new CountDownLatch(2);
    executor.execute(keyed("slow"), () -> called.add("slow"));
    executor.execute(keyed("fast"), others::countDown);
    executor.execute(message("topic", null, null), others::countDown);
    assertThat(others.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(called).isEmpty();
    blocked.countDown();
    executor.close();
    assertThat(called).containsExactly("slow");
  }

  @Test
  void shouldTakeTheSameBytesForTheSameKeyAndTheOrderingKeyFirst() {
    executor = builder().build();
    executor.execute(message("topic", "key", null), this::block);
    executor.execute(message("topic", null, "key"), this::block);
    executor.execute(message("topic", "third", "key"), this::block);
    executor.execute(message("topic", "other", null), this::block);
    executor.execute(message("topic-2", "key", null), this::block);
    executor.execute(message("topic", null, null), this::block);
    executor.execute(message("topic", null, null), this::block);
    awaitActive(4);
    assertThat(executor.queued()).as("two of the first key, one of those without").isEqualTo(3);
    assertThat(threads).hasSize(4);
  }

  /** Otherwise the client would drop the message, and those that wait behind it. */
  @Test
  void shouldTakeAKeyThatIsNoBase64AsItIs() throws Exception {
    executor = builder().build();
    CountDownLatch second = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    executor.execute(message("topic", "%%", null, true), this::block);
    executor.execute(message("topic", "%%", null, true), second::countDown);
    executor.execute(message("topic", "%", null, true), other::countDown);
    assertThat(other.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(executor.queued()).as("the second of the same key").isEqualTo(1);
    blocked.countDown();
    assertThat(second.await(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void shouldCallOneAfterTheOtherWhenOrdered() throws Exception {
    executor = builder().ordered().build();
    List<Integer> called = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      int number = i;
      executor.execute(keyed("key-" + i), () -> called.add(number));
    }
    executor.close();
    assertThat(called).hasSize(1_000).isSorted();
  }

  @Test
  void shouldCallNoMoreThanItsBoundAtATime() throws Exception {
    executor = builder().maxConcurrency(3).build();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger now = new AtomicInteger();
    CountDownLatch together = new CountDownLatch(3);
    for (int i = 0; i < 1_000; i++) {
      executor.execute(
          keyed("key-" + i % 50),
          () -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            together.countDown();
            awaitUninterrupted(together);
            now.decrementAndGet();
          });
    }
    executor.close();
    assertThat(most).hasValue(3);
    assertNoThreadLeft();
  }

  /** With one thread: the key with many messages goes to the end of the queue after each. */
  @Test
  void shouldGiveEachKeyItsTurn() throws Exception {
    executor = builder().maxConcurrency(1).build();
    executor.execute(keyed("first"), this::block);
    Queue<String> called = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 100; i++) {
      executor.execute(keyed("busy"), () -> called.add("busy"));
    }
    executor.execute(keyed("rare"), () -> called.add("rare"));
    blocked.countDown();
    executor.close();
    assertThat(List.copyOf(called).subList(0, 2)).containsExactly("busy", "rare");
    assertThat(called).hasSize(101);
  }

  @Test
  void shouldCallTheNextOfAKeyAfterOneThatFailed() throws Exception {
    executor = builder().build();
    Queue<String> called = new ConcurrentLinkedQueue<>();
    executor.execute(
        keyed("key"),
        () -> {
          called.add("failed");
          throw new AssertionError("a listener's");
        });
    executor.execute(keyed("key"), () -> called.add("next"));
    executor.close();
    assertThat(called).containsExactly("failed", "next");
    assertThat(executor.active()).isZero();
  }

  /** An interrupt that a listener leaves behind is not the next one's. */
  @Test
  void shouldBeginEachCallWithoutAnInterrupt() throws Exception {
    executor = builder().ordered().build();
    AtomicReference<Boolean> interrupted = new AtomicReference<>();
    executor.execute(
        keyed("key"),
        () -> {
          awaitUninterrupted(blocked);
          Thread.currentThread().interrupt();
        });
    executor.execute(keyed("key"), () -> interrupted.set(Thread.currentThread().isInterrupted()));
    blocked.countDown();
    executor.close();
    assertThat(interrupted).hasValue(false);
  }

  @Test
  void shouldTakeNothingOnceClosed() throws Exception {
    executor = builder().meterRegistry(registry).build();
    executor.close();
    AtomicInteger called = new AtomicInteger();
    executor.execute(keyed("key"), called::incrementAndGet);
    executor.close();
    assertThat(called).hasValue(0);
    assertThat(threads).isEmpty();
    assertThat(released).hasValue(1);
    assertThat(registry.get("executor.rejected").counter().count()).isEqualTo(1);
  }

  @Test
  void shouldLeaveTheMetersOfItsSuccessorWhenItIsClosedAgain() {
    executor = builder().meterRegistry(registry).build();
    executor.close();
    OrderedListenerExecutor successor = builder().meterRegistry(registry).build();
    executor.close();
    assertThat(registry.find("executor.queued").gauge()).isNotNull();
    successor.close();
    assertThat(registry.find("executor.queued").gauge()).isNull();
  }

  @Test
  void shouldInterruptAndDropWhatIsLeftWhenItsTimeIsOver() throws Exception {
    executor = builder().maxConcurrency(2).closeTimeout(Duration.ofMillis(1)).build();
    CountDownLatch interrupted = new CountDownLatch(2);
    AtomicInteger dropped = new AtomicInteger();
    for (String key : List.of("a", "b", "c")) {
      executor.execute(
          keyed(key),
          () -> {
            try {
              blocked.await();
            } catch (InterruptedException e) {
              interrupted.countDown();
            }
          });
      executor.execute(keyed(key), dropped::incrementAndGet);
    }
    awaitActive(2);
    executor.close();
    assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(executor.queued()).isZero();
    assertNoThreadLeft();
    assertThat(dropped).as("calls").hasValue(0);
    assertThat(released).as("messages of a, b and c").hasValue(4);
  }

  /** A call that ignores its interrupt keeps its own thread, and the last one. */
  @Test
  void shouldEndWhenACallHasGoneOnAfterItsTime() throws Exception {
    executor = builder().maxConcurrency(1).closeTimeout(Duration.ZERO).build();
    AtomicInteger called = new AtomicInteger();
    executor.execute(
        keyed("stubborn"),
        () -> {
          while (blocked.getCount() > 0) {
            LockSupport.parkNanos(1_000_000);
            Thread.interrupted();
          }
          called.incrementAndGet();
        });
    awaitActive(1);
    executor.execute(keyed("stubborn"), called::incrementAndGet);
    executor.execute(keyed("waiting"), called::incrementAndGet);
    executor.close();
    assertThat(threads).hasSize(1);
    blocked.countDown();
    assertNoThreadLeft();
    assertThat(called).hasValue(1);
  }

  @Test
  void shouldDropAtOnceWhenTheClosingThreadIsInterrupted() throws Exception {
    executor = builder().closeTimeout(ChronoUnit.FOREVER.getDuration()).build();
    executor.execute(keyed("key"), this::block);
    awaitActive(1);
    Thread.currentThread().interrupt();
    executor.close();
    assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    assertNoThreadLeft();
  }

  @Test
  void shouldNotWaitForItselfWhenAListenerClosesIt() throws Exception {
    executor = builder().closeTimeout(Duration.ofHours(1)).build();
    CountDownLatch closed = new CountDownLatch(1);
    executor.execute(
        keyed("key"),
        () -> {
          executor.close();
          closed.countDown();
        });
    assertThat(closed.await(1, TimeUnit.MINUTES)).isTrue();
    assertNoThreadLeft();
  }

  /** How a factory can fail to make a thread. */
  private enum Refusal implements Supplier<Thread> {
    NULL {
      @Override
      public Thread get() {
        return null;
      }
    },
    REJECTED {
      @Override
      public Thread get() {
        throw new RejectedExecutionException("the factory's limit");
      }
    },
    NO_MEMORY {
      @Override
      public Thread get() {
        throw new OutOfMemoryError("unable to create native thread");
      }
    }
  }

  /**
   * The client would drop them with an exception: they wait, and nothing has to come after them.
   */
  @ParameterizedTest
  @EnumSource
  void shouldCallAllInOrderWhenNoThreadCouldBeStarted(Refusal refusal) throws Exception {
    Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
    Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> reported.add(e));
    executor = refusing(refusal, new AtomicInteger(2));
    Queue<Integer> called = new ConcurrentLinkedQueue<>();
    CountDownLatch all = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      int number = i;
      executor.execute(
          keyed("key"),
          () -> {
            called.add(number);
            all.countDown();
          });
      if (i == 0) {
        // Now: a later one is told too, if it comes after the time for the next try.
        assertThat(reported).hasSize(1);
      }
    }
    assertThat(all.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(called).containsExactly(0, 1, 2);
    assertNoThreadLeft();
  }

  @ParameterizedTest
  @EnumSource
  void shouldManageWithTheThreadsThatThereAre(Refusal refusal) throws Exception {
    AtomicInteger refused = new AtomicInteger();
    executor = refusing(refusal, refused);
    executor.execute(keyed("first"), this::block);
    refused.set(1);
    CountDownLatch called = new CountDownLatch(1);
    executor.execute(keyed("second"), called::countDown);
    blocked.countDown();
    assertThat(called.await(1, TimeUnit.MINUTES)).isTrue();
  }

  /** A key that blocks is to hold up itself, and nothing may have to come after the others. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldHaveAThreadForEachKeyAsSoonAsItCan(boolean noneAtFirst) throws Exception {
    Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
    AtomicInteger refused = new AtomicInteger(noneAtFirst ? 1 : 0);
    executor = refusing(Refusal.REJECTED, refused);
    executor.execute(keyed("a"), this::block);
    if (!noneAtFirst) {
      awaitActive(1);
      refused.set(1);
    }
    CountDownLatch others = new CountDownLatch(3);
    for (String key : List.of("b", "c", "d")) {
      executor.execute(keyed(key), others::countDown);
    }
    assertThat(others.await(1, TimeUnit.MINUTES)).isTrue();
  }

  /** As one that ends the JVM, whose hooks close the executor. */
  @Test
  void shouldNotHoldItsLockWhileAHandlerIsTold() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    boolean[] inTime = new boolean[1];
    Thread.currentThread()
        .setUncaughtExceptionHandler(
            (thread, e) -> {
              Thread reader =
                  newThread(
                      () -> {
                        executor.queued();
                        read.countDown();
                      });
              reader.start();
              inTime[0] = awaitFor(read);
            });
    executor = refusing(Refusal.NULL, new AtomicInteger(1));
    executor.execute(keyed("key"), () -> {});
    assertThat(inTime[0]).isTrue();
  }

  private static boolean awaitFor(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void shouldDropWhatWaitsForAThreadThatNeverComesWhenClosed() {
    Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
    executor = refusing(Refusal.NULL, new AtomicInteger(Integer.MAX_VALUE));
    executor.execute(keyed("key"), () -> escaped.add(new AssertionError("called")));
    executor.execute(keyed("other"), () -> escaped.add(new AssertionError("called")));
    executor.close();
    assertThat(released).hasValue(2);
    assertThat(executor.queued()).isZero();
  }

  private OrderedListenerExecutor refusing(Refusal refusal, AtomicInteger refused) {
    ThreadFactory factory = task -> refused.getAndDecrement() > 0 ? refusal.get() : newThread(task);
    return ListenerExecutors.threads("test", factory).closeTimeout(Duration.ofMillis(50)).build();
  }

  @Test
  void shouldHaveMetersUntilClosed() throws Exception {
    executor = builder().meterRegistry(registry).closeTimeout(Duration.ZERO).build();
    assertThatThrownBy(() -> builder().meterRegistry(registry).build())
        .hasMessage("The registry has meters of an executor named test; allowed: another name");
    executor.execute(keyed("done"), () -> {});
    assertNoThreadLeft();
    executor.execute(keyed("key"), this::block);
    executor.execute(keyed("key"), () -> {});
    awaitActive(1);
    assertThat(registry.get("executor.active").tag("name", "test").gauge().value()).isEqualTo(1);
    assertThat(registry.get("executor.queued").gauge().value()).isEqualTo(1);
    assertThat(registry.get("executor").timer().count()).isEqualTo(1);
    assertThat(registry.get("executor.idle").timer().count()).isEqualTo(1);
    assertThat(registry.get("pulsar.listener.end.to.end").timer().max(TimeUnit.MILLISECONDS))
        .isBetween(1_000.0, 60_000.0);
    assertThat(registry.get("executor.rejected").counter().count()).isZero();
    executor.close();
    assertThat(registry.get("executor.rejected").counter().count()).isEqualTo(1);
    assertThat(registry.find("executor.active").meter()).isNull();
    assertThat(registry.find("executor.queued").meter()).isNull();
    builder().meterRegistry(registry).build().close();
  }

  /** Nor does what a handler of uncaught exceptions throws. */
  @Test
  void shouldNotEndAKeyByAMeterThatThrows() throws Exception {
    executor =
        new OrderedListenerExecutor(
            this::newThread,
            true,
            1,
            Duration.ofHours(1),
            new ListenerMeters() {
              @Override
              public void called(long waitedNanos, long calledNanos, long publishMillis) {
                throw new IllegalStateException("a meter's");
              }
            });
    AtomicInteger called = new AtomicInteger();
    executor.execute(keyed("key"), called::incrementAndGet);
    executor.execute(keyed("key"), called::incrementAndGet);
    executor.close();
    assertThat(called).hasValue(2);
    assertNoThreadLeft();
  }

  private ListenerExecutors.Builder builder() {
    return ListenerExecutors.threads("test", this::newThread);
  }

  private Thread newThread(Runnable task) {
    Thread thread =
        FACTORY.newThread(
            () -> {
              try {
                task.run();
              } catch (Throwable e) {
                escaped.add(e);
              } finally {
                threads.remove(Thread.currentThread());
              }
            });
    thread.setUncaughtExceptionHandler(
        (of, e) -> {
          throw new IllegalStateException("a handler's");
        });
    threads.add(thread);
    return thread;
  }

  private static final ThreadFactory FACTORY =
      VIRTUAL
          ? ListenerExecutorsTest.virtualThreads()
          : task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
          };

  private void block() {
    awaitUninterrupted(blocked);
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitActive(int calls) {
    await(() -> executor.active() == calls);
  }

  private void assertNoThreadLeft() {
    await(threads::isEmpty);
  }

  private interface Condition {
    boolean holds();
  }

  private static void await(Condition condition) {
    long endNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("within a minute").isLessThan(endNanos);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private Message<byte[]> keyed(String key) {
    return message("topic", key, null);
  }

  private Message<byte[]> message(String topic, String key, String orderingKey) {
    return message(topic, key, orderingKey, false);
  }

  /** Published a second ago, perhaps with a key that only the producer takes for Base64. */
  @SuppressWarnings("unchecked")
  private Message<byte[]> message(String topic, String key, String orderingKey, boolean noBase64) {
    Map<String, Object> answers = new ConcurrentHashMap<>();
    answers.put("getTopicName", topic);
    answers.put("getPublishTime", System.currentTimeMillis() - 1_000);
    answers.put("hasKey", key != null);
    answers.put("hasOrderingKey", orderingKey != null);
    if (key != null) {
      answers.put("getKey", key);
      answers.put("getKeyBytes", key.getBytes(StandardCharsets.UTF_8));
    }
    if (orderingKey != null) {
      answers.put("getOrderingKey", orderingKey.getBytes(StandardCharsets.UTF_8));
    }
    return (Message<byte[]>)
        Proxy.newProxyInstance(
            Message.class.getClassLoader(),
            new Class<?>[] {Message.class},
            (proxy, method, args) -> {
              if (method.getName().equals("release")) {
                released.incrementAndGet();
              }
              if (noBase64 && method.getName().equals("getKeyBytes")) {
                throw new IllegalArgumentException("Illegal base64 character 25");
              }
              return answers.get(method.getName());
            });
  }
}
