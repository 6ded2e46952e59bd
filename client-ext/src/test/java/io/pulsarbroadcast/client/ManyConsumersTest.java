/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ManyConsumersTest {
  private static final int IN_FLIGHT = 1_000;

  private final FakePulsar fake = new FakePulsar();

  private ConsumerBuilder<byte[]> named(int index) {
    return fake.client.newConsumer().consumerName("car-" + index);
  }

  private List<Object> names() {
    return fake.subscribes.stream().map(subscribe -> subscribe.last("consumerName")).toList();
  }

  private static List<Object> names(int count) {
    return IntStream.range(0, count).<Object>mapToObj(i -> "car-" + i).toList();
  }

  @Test
  void shouldTurnOffTheTasksOfEachConsumer() {
    BroadcastConsumerBuilder<byte[]> builder = fake.broadcast.newConsumer().topic("t");
    assertThat(ManyConsumers.prepare(builder)).isSameAs(builder);
    builder.subscriptionName("s").subscribeAsync().join();

    FakePulsar.Subscribe subscribe = fake.real().get(0);
    assertThat(subscribe.calls())
        .contains(
            new FakePulsar.Call("acknowledgmentGroupTime", List.of(0L, TimeUnit.MILLISECONDS)));
  }

  @Test
  void shouldTurnOffTheStatisticsOfTheClient() {
    List<String> calls = new ArrayList<>();
    ClientBuilder builder =
        (ClientBuilder)
            Proxy.newProxyInstance(
                ClientBuilder.class.getClassLoader(),
                new Class<?>[] {ClientBuilder.class},
                (self, method, args) -> {
                  calls.add(method.getName() + Arrays.toString(args));
                  return self;
                });

    ManyConsumers.prepare(builder);

    assertThat(calls).containsExactly("statsInterval[0, SECONDS]");
  }

  @Test
  void shouldPrepareTheBuildersOfTheStockClient() throws Exception {
    ClientBuilder builder = PulsarClient.builder();
    assertThat(ManyConsumers.prepare(builder)).isSameAs(builder);
    PulsarClient client = builder.serviceUrl("pulsar://localhost:1").build();
    ConsumerBuilder<byte[]> consumer = client.newConsumer();
    assertThat(ManyConsumers.prepare(consumer)).isSameAs(consumer);
    // Closing takes the stock client two seconds, for which nobody waits.
    client.closeAsync();
  }

  @Test
  void shouldSubscribeAllInOrder() throws Exception {
    List<Consumer<?>> made = new ArrayList<>();
    fake.broker =
        subscribe -> {
          made.add(fake.consumer());
          return CompletableFuture.completedFuture(made.get(made.size() - 1));
        };

    List<Consumer<byte[]>> consumers = ManyConsumers.subscribe(20_000, this::named);

    assertThat(consumers).hasSize(20_000);
    assertThat(new ArrayList<Consumer<?>>(consumers)).isEqualTo(made);
    assertThat(names()).isEqualTo(names(20_000));
  }

  @Test
  void shouldSubscribeNone() throws Exception {
    assertThat(ManyConsumers.<byte[]>subscribe(0, this::named)).isEmpty();
    assertThat(fake.subscribes).isEmpty();
  }

  @Test
  void shouldLetSoManyWaitForTheBrokerAtATime() throws Exception {
    CountDownLatch room = new CountDownLatch(IN_FLIGHT);
    List<CompletableFuture<Consumer<?>>> waiting = new ArrayList<>();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger now = new AtomicInteger();
    fake.broker =
        subscribe -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          CompletableFuture<Consumer<?>> answer = new CompletableFuture<>();
          synchronized (waiting) {
            waiting.add(answer);
          }
          room.countDown();
          return answer;
        };
    CompletableFuture<List<Consumer<byte[]>>> all =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return ManyConsumers.subscribe(3 * IN_FLIGHT, this::named);
              } catch (PulsarClientException e) {
                throw new IllegalStateException(e);
              }
            });
    room.await();
    while (!all.isDone()) {
      List<CompletableFuture<Consumer<?>>> answered;
      synchronized (waiting) {
        answered = List.copyOf(waiting);
        waiting.clear();
      }
      for (CompletableFuture<Consumer<?>> answer : answered) {
        now.decrementAndGet();
        answer.complete(fake.consumer());
      }
      Thread.onSpinWait();
    }
    assertThat(all.get()).hasSize(3 * IN_FLIGHT);
    assertThat(most).hasValue(IN_FLIGHT);
  }

  @Test
  void shouldCloseTheOthersAndAskNoMoreWhenOneCannotSubscribe() {
    fake.broker =
        subscribe ->
            "car-3".equals(subscribe.last("consumerName"))
                ? FakePulsar.fail(new PulsarClientException.ConsumerBusyException("too many"))
                : fake.accept();

    assertThatThrownBy(() -> ManyConsumers.subscribe(10, this::named))
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessageContaining("too many");
    assertThat(names()).isEqualTo(names(4));
    assertThat(fake.closedConsumers).hasValue(3);
  }

  @Test
  void shouldCloseWhatSubscribesAfterTheFailureOfAnother() {
    CompletableFuture<Consumer<?>> late = new CompletableFuture<>();
    fake.broker =
        subscribe ->
            "car-0".equals(subscribe.last("consumerName"))
                ? late
                : FakePulsar.fail(new PulsarClientException("refused"));
    CompletableFuture<Object> thrown =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return ManyConsumers.subscribe(2, this::named);
              } catch (PulsarClientException e) {
                return e;
              }
            });
    late.complete(fake.consumer());

    assertThat(thrown.join()).isInstanceOf(PulsarClientException.class);
    assertThat(fake.closedConsumers).hasValue(1);
  }

  @Test
  void shouldCloseTheOthersWhenThereIsNoBuilder() {
    assertThatThrownBy(() -> subscribeTwoAnd(failing(new IllegalStateException("no builder"))))
        .hasMessage("no builder");
    assertThat(fake.closedConsumers).hasValue(2);
  }

  /** As where the client is too old for a setting. */
  @Test
  void shouldCloseTheOthersWhenABuilderFailsWithAnError() {
    assertThatThrownBy(() -> subscribeTwoAnd(failing(new NoSuchMethodError("too old"))))
        .isInstanceOf(NoSuchMethodError.class);
    assertThat(fake.closedConsumers).hasValue(2);
  }

  @Test
  void shouldSayWhichBuilderIsNull() {
    assertThatThrownBy(() -> subscribeTwoAnd(() -> null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("builders returned null for consumer 2");
    assertThat(fake.closedConsumers).hasValue(2);
  }

  private void subscribeTwoAnd(Supplier<ConsumerBuilder<byte[]>> third) throws Exception {
    ManyConsumers.subscribe(3, i -> i < 2 ? named(i) : third.get());
  }

  private static Supplier<ConsumerBuilder<byte[]>> failing(RuntimeException e) {
    return () -> {
      throw e;
    };
  }

  private static Supplier<ConsumerBuilder<byte[]>> failing(Error e) {
    return () -> {
      throw e;
    };
  }

  @Test
  void shouldEndWhenInterrupted() {
    fake.broker = subscribe -> new CompletableFuture<>();
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> ManyConsumers.subscribe(1, this::named))
        .isInstanceOf(PulsarClientException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldRefuseFewerThanNone() {
    assertThatThrownBy(() -> ManyConsumers.<byte[]>subscribe(-1, this::named))
        .hasMessage("count is -1; allowed: 0 or more");
  }
}
