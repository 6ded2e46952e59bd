/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.AuthorizationException;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PluginProbeTest {
  private final FakePulsar pulsar = new FakePulsar();

  private BroadcastConsumerBuilder<byte[]> broadcast(String topic, String subscription) {
    return broadcast(pulsar.broadcast, topic, subscription);
  }

  private static BroadcastConsumerBuilder<byte[]> broadcast(
      BroadcastClient client, String topic, String subscription) {
    return client
        .newConsumer()
        .topic(topic)
        .subscriptionName(subscription)
        .subscriptionType(SubscriptionType.Broadcast);
  }

  private BroadcastConsumerBuilder<byte[]> broadcast() {
    return broadcast("t", "s");
  }

  @Test
  void shouldAskWithANonDurableSubscribeOfAnUnknownType() throws Exception {
    broadcast().subscribe();

    FakePulsar.Subscribe probe = pulsar.subscribes.get(0);
    assertThat(probe.all("topic")).containsExactly("t");
    assertThat((String) probe.last("subscriptionName")).matches("s-broadcast-probe-[0-9a-f]{32}");
    assertThat(probe.last("subscriptionMode")).isEqualTo(SubscriptionMode.NonDurable);
    assertThat(probe.last("subscriptionType"))
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Exclusive);
    assertThat(probe.properties()).containsExactly(Map.entry("pulsar.subscription.type", "probe"));
    assertThat(pulsar.real()).hasSize(1);
  }

  @Test
  void shouldAskOnceForAllTopicsAndSubscriptions() throws Exception {
    broadcast("a", "s").subscribe();
    broadcast("a", "s").subscribe();
    broadcast("a", "another").subscribe();
    broadcast("b", "s").subscribe();

    assertThat(pulsar.probes()).extracting(probe -> probe.last("topic")).containsExactly("a");
    assertThat(pulsar.real()).hasSize(4);
  }

  @Test
  void shouldAskAboutTheFirstOfSeveralTopics() throws Exception {
    pulsar
        .broadcast
        .newConsumer()
        .topics(List.of(" b ", "a"))
        .subscriptionName("s")
        .subscriptionType(SubscriptionType.Broadcast)
        .subscribe();
    assertThat(pulsar.probes()).singleElement().extracting(p -> p.last("topic")).isEqualTo("b");
  }

  @Test
  void shouldAskAboutOnePartition() throws Exception {
    pulsar.partitionsOf = topic -> List.of(topic + "-partition-0", topic + "-partition-1");
    broadcast("t", "s").subscribe();
    assertThat(pulsar.probes())
        .singleElement()
        .extracting(probe -> probe.last("topic"))
        .isEqualTo("t-partition-0");
    assertThat(pulsar.real()).singleElement().extracting(p -> p.last("topic")).isEqualTo("t");
  }

  @Test
  void shouldNotAskWhenThereIsNoTopicOrSubscriptionToAskAbout() throws Exception {
    pulsar
        .broadcast
        .newConsumer()
        .topicsPattern(Pattern.compile("a.*"))
        .subscriptionName("s")
        .subscriptionType(SubscriptionType.Broadcast)
        .subscribe();
    pulsar.broadcast.newConsumer().subscriptionType(SubscriptionType.Broadcast).subscribe();
    pulsar
        .broadcast
        .newConsumer()
        .topic("no subscription")
        .subscriptionType(SubscriptionType.Broadcast)
        .subscribe();

    assertThat(pulsar.probes()).isEmpty();
    assertThat(pulsar.real()).hasSize(3);
  }

  @Test
  void shouldMakeOneProbeForThousandConcurrentSubscribes() throws Exception {
    CompletableFuture<Consumer<?>> answer = new CompletableFuture<>();
    pulsar.broker = subscribe -> subscribe.isProbe() ? answer : pulsar.accept();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      CountDownLatch start = new CountDownLatch(1);
      List<Future<CompletableFuture<Consumer<byte[]>>>> calls = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        calls.add(
            threads.submit(
                () -> {
                  start.await();
                  return broadcast().subscribeAsync();
                }));
      }
      start.countDown();
      List<CompletableFuture<Consumer<byte[]>>> consumers = new ArrayList<>();
      for (Future<CompletableFuture<Consumer<byte[]>>> call : calls) {
        consumers.add(call.get());
      }
      assertThat(pulsar.probes()).hasSize(1);
      assertThat(pulsar.real()).isEmpty();

      answer.completeExceptionally(FakePulsar.pluginRefuses());
      assertThat(consumers).allMatch(consumer -> consumer.isDone());
      assertThat(pulsar.probes()).hasSize(1);
      assertThat(pulsar.real()).hasSize(1000);
      assertThat(pulsar.real().stream().map(subscribe -> subscribe.last("consumerName")))
          .doesNotHaveDuplicates();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void shouldSayHowToInstallThePluginWhenTheBrokerHasNone() {
    pulsar.broker = subscribe -> pulsar.accept();

    assertThatThrownBy(() -> broadcast("persistent://city/traffic/area-7", "s").subscribe())
        .isExactlyInstanceOf(BroadcastNotSupportedException.class)
        .isInstanceOf(PulsarClientException.class)
        .hasMessageContaining("persistent://city/traffic/area-7")
        .hasMessageContaining("no pulsar-broadcast plugin")
        .hasMessageContaining("pulsar-broadcast-broker NAR")
        .hasMessageContaining("interceptors/")
        .hasMessageContaining("brokerInterceptors=pulsar-broadcast")
        .satisfies(e -> assertThat(PulsarClientException.isRetriableError(e)).isFalse())
        .satisfies(
            e ->
                assertThat(e.getStackTrace())
                    .anyMatch(frame -> frame.getClassName().equals(getClass().getName())));
    assertThat(pulsar.closedConsumers).hasValue(1);
    assertThat(pulsar.real()).isEmpty();
  }

  @Test
  void shouldFailTheFutureWhenTheBrokerHasNoPlugin() {
    pulsar.broker = subscribe -> pulsar.accept();
    CompletableFuture<Consumer<byte[]>> consumer = broadcast().subscribeAsync();
    assertThatThrownBy(consumer::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseExactlyInstanceOf(BroadcastNotSupportedException.class);
  }

  /** As Pulsar's client leaves lookups without an answer that it was about to repeat. */
  @Test
  void shouldNotWaitForAnAnswerThatAClosedClientDoesNotGive() {
    pulsar.broker = subscribe -> new CompletableFuture<>();
    assertThat(broadcast("t", "s").subscribeAsync()).isNotDone();
    CompletableFuture<Consumer<byte[]>> waits = broadcast("another", "s").subscribeAsync();
    pulsar.broker =
        subscribe -> FakePulsar.fail(new PulsarClientException.AlreadyClosedException("closed"));
    pulsar.closed = true;

    for (CompletableFuture<Consumer<byte[]>> consumer :
        List.of(broadcast("t", "s").subscribeAsync(), waits)) {
      assertThat(consumer)
          .failsWithin(Duration.ofSeconds(50))
          .withThrowableThat()
          .withCauseInstanceOf(PulsarClientException.AlreadyClosedException.class);
    }
  }

  @Test
  void shouldAskAgainAfterAFailure() throws Exception {
    pulsar.broker = subscribe -> pulsar.accept();
    assertThatThrownBy(() -> broadcast().subscribe())
        .isInstanceOf(BroadcastNotSupportedException.class);
    pulsar.broker =
        subscribe -> FakePulsar.fail(new PulsarClientException.TimeoutException("late"));
    assertThatThrownBy(() -> broadcast().subscribe())
        .isExactlyInstanceOf(PulsarClientException.TimeoutException.class);
    pulsar.broker = pulsar::withPlugin;
    broadcast().subscribe();

    assertThat(pulsar.probes()).hasSize(3);
    assertThat(pulsar.real()).hasSize(1);
  }

  @Test
  void shouldFailWithWhatTheBrokerSaysAboutTheProbe() {
    AuthorizationException failure = new AuthorizationException("no permission");
    pulsar.broker = subscribe -> FakePulsar.fail(new CompletionException(failure));

    assertThat(catchThrowable(() -> broadcast().subscribeAsync().get())).hasCause(failure);
    assertThatThrownBy(() -> broadcast().subscribe())
        .isExactlyInstanceOf(AuthorizationException.class)
        .hasMessage("no permission");
  }

  @Test
  void shouldKeepTypesThatPulsarCannotCopy() {
    class OfANewerClient extends PulsarClientException {
      OfANewerClient() {
        super("new");
      }
    }
    PulsarClientException failure = new OfANewerClient();
    pulsar.broker = subscribe -> FakePulsar.fail(failure);
    assertThat(catchThrowable(() -> broadcast().subscribe())).isSameAs(failure);
  }

  @Test
  void shouldNotShareTheFailureOfAnotherSubscriptionsProbe() {
    CompletableFuture<Consumer<?>> never = new CompletableFuture<>();
    pulsar.broker =
        subscribe ->
            subscribe.isProbe() && ((String) subscribe.last("subscriptionName")).startsWith("mute")
                ? never
                : pulsar.withPlugin(subscribe);
    CompletableFuture<Consumer<byte[]>> waiting = broadcast("t", "mute").subscribeAsync();
    CompletableFuture<Consumer<byte[]>> other = broadcast("t", "s").subscribeAsync();
    assertThat(other).succeedsWithin(Duration.ofSeconds(50));
    assertThat(waiting).isNotDone();
  }

  @Test
  void shouldLetOtherTopicsWaitForTheFirstAnswer() {
    CompletableFuture<Consumer<?>> answer = new CompletableFuture<>();
    pulsar.broker = subscribe -> subscribe.isProbe() ? answer : pulsar.accept();
    BroadcastClient patient =
        ClientHandler.wrap(pulsar.client, new PluginProbe(pulsar.client, Duration.ofDays(1)));
    CompletableFuture<Consumer<byte[]>> first = broadcast(patient, "a", "s").subscribeAsync();
    CompletableFuture<Consumer<byte[]>> second = broadcast(patient, "b", "s").subscribeAsync();
    assertThat(second).isNotDone();

    answer.completeExceptionally(FakePulsar.pluginRefuses());

    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(pulsar.probes()).extracting(probe -> probe.last("topic")).containsExactly("a");
  }

  @Test
  void shouldAskOnceWhenTheAnswerComesBetweenTheLooksOfAnother() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 5_000; round++) {
        FakePulsar each = new FakePulsar();
        CyclicBarrier together = new CyclicBarrier(2);
        List<Future<?>> calls = new ArrayList<>();
        for (String topic : List.of("a", "b")) {
          calls.add(
              threads.submit(
                  () -> {
                    together.await();
                    return broadcast(each.broadcast, topic, "s").subscribe();
                  }));
        }
        for (Future<?> call : calls) {
          call.get();
        }
        assertThat(each.probes()).hasSize(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void shouldAskAboutEachTopicWhoseBrokerMayLackThePlugin() {
    CompletableFuture<Consumer<?>> answer = new CompletableFuture<>();
    pulsar.broker =
        subscribe ->
            subscribe.isProbe() && subscribe.last("topic").equals("a") ? answer : pulsar.accept();
    CompletableFuture<Consumer<byte[]>> first = broadcast("a", "s").subscribeAsync();
    CompletableFuture<Consumer<byte[]>> second = broadcast("b", "s").subscribeAsync();

    answer.complete(pulsar.consumer());

    for (CompletableFuture<Consumer<byte[]>> consumer : List.of(first, second)) {
      assertThat(consumer)
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withCauseInstanceOf(BroadcastNotSupportedException.class);
    }
    assertThat(pulsar.probes()).extracting(probe -> probe.last("topic")).containsExactly("a", "b");
    assertThat(pulsar.real()).isEmpty();
  }

  @Test
  void shouldNotAskWhenToldNotTo() throws Exception {
    for (PulsarClient wrapped : List.of(pulsar.client, pulsar.broadcast)) {
      BroadcastClient.wrapWithoutProbe(wrapped)
          .newConsumer()
          .topic("t")
          .subscriptionName("s")
          .subscriptionType(SubscriptionType.Broadcast)
          .subscribe();
    }
    assertThat(pulsar.probes()).isEmpty();
    assertThat(pulsar.real())
        .hasSize(2)
        .allSatisfy(
            subscribe ->
                assertThat(subscribe.properties())
                    .containsExactly(Map.entry("pulsar.subscription.type", "Broadcast")));
  }

  @Test
  void shouldAskTheBrokersOfANewServiceUrl() throws Exception {
    broadcast().subscribe();
    pulsar.broadcast.updateServiceUrl("pulsar://elsewhere:6650");
    broadcast().subscribe();
    assertThat(pulsar.probes()).hasSize(2);

    BroadcastClient silent = BroadcastClient.wrapWithoutProbe(pulsar.client);
    silent.updateServiceUrl("pulsar://elsewhere:6650");
    broadcast(silent, "t", "s").subscribe();
    assertThat(pulsar.probes()).hasSize(2);
  }

  @Test
  void shouldSayWhichClientItCannotUnwrap() {
    BroadcastClient decorated =
        (BroadcastClient)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {BroadcastClient.class},
                (self, method, args) -> method.invoke(pulsar.broadcast, args));
    assertThat(BroadcastClient.wrap(decorated)).isSameAs(decorated);
    assertThatThrownBy(() -> BroadcastClient.wrapWithoutProbe(decorated))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("allowed: the client that it wraps");
  }

  @Test
  void shouldNotRunTheApplicationsCodeOnTheThreadOfAllTimeouts() throws Exception {
    pulsar.broker =
        subscribe ->
            subscribe.isProbe() && subscribe.last("topic").equals("mute")
                ? new CompletableFuture<>()
                : pulsar.withPlugin(subscribe);
    BroadcastClient hasty =
        ClientHandler.wrap(pulsar.client, new PluginProbe(pulsar.client, Duration.ofMillis(1)));
    broadcast(hasty, "mute", "s").subscribeAsync();
    CompletableFuture<String> thread =
        broadcast(hasty, "t", "s")
            .subscribeAsync()
            .thenApply(consumer -> Thread.currentThread().getName());
    assertThat(thread.get()).doesNotContain("DelayScheduler");
  }

  @Test
  void shouldFailAndAskAgainWhenTheClientCannotEvenBeLoaded() throws Exception {
    pulsar.broker =
        subscribe -> {
          throw new NoClassDefFoundError("a part of the client");
        };
    assertThat(broadcast().subscribeAsync()).failsWithin(Duration.ofSeconds(50));
    pulsar.broker = pulsar::withPlugin;
    assertThat(broadcast().subscribe()).isNotNull();
  }

  @Test
  void shouldAskForAFrameworkThatSubscribesItself() {
    pulsar.broker = subscribe -> pulsar.accept();
    ConsumerBuilder<byte[]> builder = pulsar.client.newConsumer();
    assertThatThrownBy(
            () ->
                pulsar.broadcast.prepare(
                    builder,
                    Map.of(
                        "topicNames", List.of("t"),
                        "subscriptionName", "s",
                        "properties", Map.of("pulsar.subscription.type", "Broadcast"))))
        .isExactlyInstanceOf(BroadcastNotSupportedException.class)
        .hasMessageContaining("topic t ");
  }

  @Test
  void shouldFailWithWhatTheRealSubscribeFailsWith() throws Exception {
    pulsar.broker =
        subscribe ->
            subscribe.isProbe()
                ? pulsar.withPlugin(subscribe)
                : FakePulsar.fail(new PulsarClientException.ConsumerBusyException("busy"));
    assertThatThrownBy(() -> broadcast().subscribe())
        .isExactlyInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessage("busy");
  }

  @Test
  void shouldFindTheRefusalInsideOtherExceptions() throws Exception {
    pulsar.broker =
        subscribe ->
            subscribe.isProbe()
                ? FakePulsar.fail(
                    new CompletionException(new ExecutionException(FakePulsar.pluginRefuses())))
                : pulsar.accept();
    assertThat(broadcast().subscribe()).isNotNull();
  }

  @Test
  void shouldNotTakeAnotherRefusalForThePlugin() {
    pulsar.broker = subscribe -> FakePulsar.fail(FakePulsar.limitRefuses(subscribe));
    assertThatThrownBy(() -> broadcast("persistent://a/b/Broadcast", "s").subscribe())
        .isExactlyInstanceOf(NotAllowedException.class)
        .hasMessage(FakePulsar.limitRefuses(pulsar.probes().get(0)).getMessage());
    assertThat(pulsar.real()).isEmpty();
  }

  @Test
  void shouldNotTakeTheNameOfTheSubscriptionForThePlugin() {
    // As the client puts it when the refusal is not wrapped in another exception.
    pulsar.broker =
        subscribe ->
            FakePulsar.fail(
                PulsarClientException.wrap(
                    FakePulsar.limitRefuses(subscribe),
                    "Failed to subscribe the topic %s with subscription name %s when connecting to the broker"
                        .formatted(subscribe.topic(), subscribe.last("subscriptionName"))));
    assertThatThrownBy(() -> broadcast("t", "Broadcast").subscribe())
        .isExactlyInstanceOf(NotAllowedException.class)
        .hasMessageContaining("subscription name Broadcast-broadcast-probe-");
    assertThat(pulsar.real()).isEmpty();
  }

  @Test
  void shouldFailWhenTheClientThrowsInsteadOfFailingTheFuture() {
    pulsar.broker =
        subscribe -> {
          throw new IllegalStateException("broken");
        };
    assertThat(broadcast().subscribeAsync())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(IllegalStateException.class);
    Throwable failure = catchThrowable(() -> broadcast().subscribe());
    assertThat(failure).isInstanceOf(PulsarClientException.class);
    assertThat(failure).isNotInstanceOf(UndeclaredThrowableException.class);
  }

  @Test
  void shouldRestoreTheInterruptFlagAndCloseTheConsumerThatComesTooLate() {
    CompletableFuture<Consumer<?>> late = new CompletableFuture<>();
    pulsar.broker = subscribe -> subscribe.isProbe() ? pulsar.withPlugin(subscribe) : late;
    Thread.currentThread().interrupt();
    Throwable failure = catchThrowable(() -> broadcast().subscribe());

    assertThat(Thread.interrupted()).isTrue();
    assertThat(failure)
        .isExactlyInstanceOf(PulsarClientException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    late.complete(pulsar.consumer());
    assertThat(pulsar.closedConsumers).hasValue(1);
  }
}
