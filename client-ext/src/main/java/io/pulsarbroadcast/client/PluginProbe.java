/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException.InvalidConfigurationException;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.SubscriptionMode;

/**
 * Finds out whether brokers have the plugin, before a stock one takes a Broadcast subscribe for an
 * ordinary Exclusive one.
 *
 * <p>The question is a non-durable subscribe with a subscription type that does not exist: the
 * plugin refuses it and names Broadcast among the allowed ones, a stock broker ignores the property
 * and accepts. Of a partitioned topic, it is about one partition. One yes is enough, for all
 * topics; anything else is asked again next time. Thread safe: while the first question is open,
 * all others wait for its answer, but not for longer than a second, because their brokers may be
 * well when its broker is not.
 */
final class PluginProbe {
  static final String UNKNOWN_TYPE = "probe";
  static final String SUBSCRIPTION_INFIX = "-broadcast-probe-";
  private static final Duration MAX_WAIT_FOR_FIRST = Duration.ofSeconds(1);

  /** A failure can be about the subscription name (permissions), so it is part of the question. */
  private record Question(String topic, String subscriptionName) {}

  private record Asked(Question question, CompletableFuture<Void> answer) {}

  private final PulsarClient client; // null: never asked
  private final Duration maxWaitForFirst;
  private final AtomicReference<Asked> first = new AtomicReference<>();
  private final ConcurrentMap<Question, CompletableFuture<Void>> asked = new ConcurrentHashMap<>();
  private volatile boolean present;

  PluginProbe(PulsarClient client) {
    this(client, MAX_WAIT_FOR_FIRST);
  }

  PluginProbe(PulsarClient client, Duration maxWaitForFirst) {
    this.client = client;
    this.maxWaitForFirst = maxWaitForFirst;
  }

  /** One that takes the plugin to be there. */
  static PluginProbe thatNeverAsks() {
    PluginProbe probe = new PluginProbe(null);
    probe.forget();
    return probe;
  }

  /**
   * Completes when the plugin is there, or there is no topic to ask about; fails with the reason
   * why the subscribe cannot be.
   */
  CompletableFuture<Void> requirePlugin(ConsumerSettings<?> settings) {
    String topic = settings.topicToProbe();
    if (topic == null || isNothingToAsk()) {
      return CompletableFuture.completedFuture(null);
    }
    Question question = new Question(topic, settings.subscriptionName());
    Asked mine = new Asked(question, new CompletableFuture<>());
    Asked earlier = first.compareAndExchange(null, mine);
    if (earlier == null) {
      askFirst(mine);
      return mine.answer();
    }
    if (earlier.question().equals(question)) {
      return earlier.answer();
    }
    CompletableFuture<Void> waited = earlier.answer().copy();
    // Not on the one thread of all timeouts: what follows can be the application's.
    CompletableFuture.delayedExecutor(maxWaitForFirst.toMillis(), TimeUnit.MILLISECONDS)
        .execute(() -> waited.complete(null));
    return waited
        .handle((yes, failure) -> isNothingToAsk())
        .thenCompose(
            nothing -> nothing ? CompletableFuture.<Void>completedFuture(null) : askOnce(question));
  }

  /** A closed client may leave every question unanswered; its subscribe fails. */
  private boolean isNothingToAsk() {
    return present || client.isClosed();
  }

  /** Asks again: what is known is of brokers that the client has left. */
  void forget() {
    present = client == null;
  }

  private void askFirst(Asked asked) {
    // Another may have been the first, and answered, since the caller looked.
    CompletableFuture<Void> answer =
        present ? CompletableFuture.completedFuture(null) : askOnce(asked.question());
    answer.whenComplete(
        (yes, failure) -> {
          first.set(null);
          complete(asked.answer(), failure);
        });
  }

  /** Asks; who asks the same while there is no answer shares it. */
  private CompletableFuture<Void> askOnce(Question question) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    CompletableFuture<Void> earlier = asked.putIfAbsent(question, answer);
    if (earlier != null) {
      return earlier;
    }
    ask(question)
        .whenComplete(
            (yes, failure) -> {
              if (failure == null) {
                present = true;
              }
              asked.remove(question);
              complete(answer, failure);
            });
    return answer;
  }

  private static void complete(CompletableFuture<Void> answer, Throwable failure) {
    if (failure == null) {
      answer.complete(null);
    } else {
      answer.completeExceptionally(unwrap(failure));
    }
  }

  private CompletableFuture<Void> ask(Question question) {
    CompletableFuture<List<String>> partitions;
    try {
      partitions = client.getPartitionsForTopic(question.topic(), true);
    } catch (RuntimeException | Error e) { // nobody may wait for ever
      return CompletableFuture.failedFuture(e);
    }
    return partitions
        .exceptionallyCompose(
            e ->
                // Of a name that is none, the subscribe says more.
                unwrap(e) instanceof InvalidConfigurationException
                    ? CompletableFuture.completedFuture(List.of(question.topic()))
                    : CompletableFuture.failedFuture(e))
        .thenCompose(found -> subscribe(found.get(0), question.subscriptionName()))
        .handle(
            (consumer, failure) -> {
              if (failure == null) {
                return closeAndFail(consumer, question.topic());
              }
              return refusedByPlugin(failure)
                  ? CompletableFuture.<Void>completedFuture(null)
                  : CompletableFuture.<Void>failedFuture(unwrap(failure));
            })
        .thenCompose(answer -> answer);
  }

  private CompletableFuture<Consumer<byte[]>> subscribe(String topic, String subscriptionName) {
    return client
        .newConsumer()
        .topic(topic)
        .subscriptionName(subscriptionName + SUBSCRIPTION_INFIX + Wire.randomId())
        .subscriptionType(SubscriptionType.Exclusive.toPulsar())
        .subscriptionMode(SubscriptionMode.NonDurable)
        .property(Wire.TYPE_PROPERTY, UNKNOWN_TYPE)
        .subscribeAsync();
  }

  private static CompletableFuture<Void> closeAndFail(Consumer<?> consumer, String topic) {
    return consumer
        .closeAsync()
        .handle(
            (closed, failure) -> {
              BroadcastNotSupportedException notSupported =
                  new BroadcastNotSupportedException(topic);
              if (failure != null) {
                notSupported.addSuppressed(unwrap(failure));
              }
              throw new CompletionException(notSupported);
            });
  }

  private static boolean refusedByPlugin(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof NotAllowedException) {
        return namesBroadcast(String.valueOf(cause.getMessage()));
      }
    }
    return false;
  }

  /** Whether the message has the word other than in the name of a topic or of our subscription. */
  private static boolean namesBroadcast(String message) {
    return Arrays.stream(message.split("\\s+", -1))
        .filter(word -> !word.contains("://") && !word.contains(SUBSCRIPTION_INFIX))
        .anyMatch(word -> word.contains(Wire.BROADCAST));
  }

  private static Throwable unwrap(Throwable failure) {
    Throwable result = failure;
    while ((result instanceof CompletionException || result instanceof ExecutionException)
        && result.getCause() != null) {
      result = result.getCause();
    }
    return result;
  }
}
