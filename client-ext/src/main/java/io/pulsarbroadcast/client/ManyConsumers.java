/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * Settings with which one Pulsar client can have very many consumers, as a load generator,
 * simulator or gateway has.
 *
 * <pre>{@code
 * PulsarClient client = ManyConsumers.prepare(PulsarClient.builder()).serviceUrl(url).build();
 * ConsumerBuilder<String> cars = ManyConsumers.prepare(
 *     BroadcastClient.wrap(client)
 *         .newConsumer(Schema.STRING)
 *         .topic("persistent://city/traffic/area-7")
 *         .subscriptionName("alerts")
 *         .subscriptionType(SubscriptionType.Broadcast));
 * List<Consumer<String>> consumers = ManyConsumers.subscribe(
 *     100_000, i -> cars.clone().consumerName("car-" + i).messageListener(listener));
 * }</pre>
 *
 * <p>Each setting can be changed afterwards. Stateless; from any thread.
 */
public final class ManyConsumers {
  /** Subscribes that wait for the broker at a time. */
  private static final int MAX_IN_FLIGHT = 1_000;

  private ManyConsumers() {}

  /**
   * Sets what makes consumers cheap, on a client that is about to be built.
   *
   * @return the builder
   */
  public static ClientBuilder prepare(ClientBuilder builder) {
    Objects.requireNonNull(builder, "builder");
    // Else each consumer has 12 adders and a timer, and writes its settings to the log, twice.
    return builder.statsInterval(0, TimeUnit.SECONDS);
  }

  /**
   * Sets what makes this consumer cheap, whatever its subscription type.
   *
   * @return the builder
   */
  public static <B extends ConsumerBuilder<?>> B prepare(B builder) {
    Objects.requireNonNull(builder, "builder");
    // Else each consumer has a task every 100 ms, whether there is something to acknowledge or not.
    builder.acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS);
    return builder;
  }

  /**
   * Subscribes many consumers, of which at most 1,000 wait for the broker at a time. Blocks; not to
   * be called from a thread of the client, such as in a listener.
   *
   * @param count 0 or more
   * @param builders the builder of each, from 0 to below {@code count}; called in this order by the
   *     calling thread. Clones of one builder will do, each with a name of its own
   * @return the consumers in the same order
   * @throws IllegalArgumentException if {@code count} is negative
   * @throws PulsarClientException why one could not subscribe; then the others have been closed, as
   *     they have when {@code builders} throws. Or if the thread is interrupted; then they are
   *     closed as soon as they have subscribed
   */
  public static <T> List<Consumer<T>> subscribe(
      int count, IntFunction<? extends ConsumerBuilder<T>> builders) throws PulsarClientException {
    Objects.requireNonNull(builders, "builders");
    if (count < 0) {
      throw new IllegalArgumentException("count is " + count + "; allowed: 0 or more");
    }
    List<CompletableFuture<Consumer<T>>> subscribes = new ArrayList<>(count);
    try {
      Semaphore room = new Semaphore(MAX_IN_FLIGHT);
      AtomicBoolean failed = new AtomicBoolean();
      while (subscribes.size() < count && !failed.get()) {
        room.acquire();
        CompletableFuture<Consumer<T>> subscribe =
            builder(builders, subscribes.size()).subscribeAsync();
        subscribes.add(subscribe);
        subscribe.whenComplete(
            (consumer, failure) -> {
              failed.compareAndSet(false, failure != null);
              room.release();
            });
      }
      Blocking.await(
          CompletableFuture.allOf(subscribes.toArray(CompletableFuture[]::new)), nothing -> {});
      return subscribes.stream().map(CompletableFuture::join).toList();
    } catch (InterruptedException e) {
      close(subscribes);
      Thread.currentThread().interrupt();
      throw new PulsarClientException(e);
    } catch (PulsarClientException | RuntimeException | Error e) {
      List<CompletableFuture<Void>> closes = close(subscribes);
      if (!Thread.currentThread().isInterrupted()) {
        awaitAll(closes);
      }
      throw e;
    }
  }

  private static <T> ConsumerBuilder<T> builder(
      IntFunction<? extends ConsumerBuilder<T>> builders, int index) {
    return Objects.requireNonNull(
        builders.apply(index), () -> "builders returned null for consumer " + index);
  }

  /** Closes those that have subscribed, and those that are about to as soon as they have. */
  private static <T> List<CompletableFuture<Void>> close(
      List<CompletableFuture<Consumer<T>>> subscribes) {
    return subscribes.stream().map(each -> each.thenCompose(Consumer::closeAsync)).toList();
  }

  /** Who subscribes again under these names afterwards meets no namesake. */
  private static void awaitAll(List<CompletableFuture<Void>> closes) {
    CompletableFuture.allOf(closes.toArray(CompletableFuture[]::new))
        .exceptionally(subscribeOrCloseFailed -> null)
        .join();
  }
}
