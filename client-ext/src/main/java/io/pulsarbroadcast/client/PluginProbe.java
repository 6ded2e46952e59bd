/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.SubscriptionMode;

/**
 * Finds out whether the broker of a topic has the plugin, before a stock one takes a Broadcast
 * subscribe for an ordinary Exclusive one.
 *
 * <p>The question is a non-durable subscribe with a subscription type that does not exist: the
 * plugin refuses it and names Broadcast among the allowed ones, a stock broker ignores the property
 * and accepts. A yes is remembered for the topic; anything else is asked again next time. Thread
 * safe: callers that ask the same at the same time share one question.
 */
final class PluginProbe {
  static final String UNKNOWN_TYPE = "probe";
  static final String SUBSCRIPTION_INFIX = "-broadcast-probe-";

  /** A failure can be about the subscription name (permissions), so it is part of the question. */
  private record Question(String topic, String subscriptionName) {}

  private final PulsarClient client;
  private final Set<String> topicsWithPlugin = ConcurrentHashMap.newKeySet();
  private final ConcurrentMap<Question, CompletableFuture<Void>> asked = new ConcurrentHashMap<>();

  PluginProbe(PulsarClient client) {
    this.client = client;
  }

  /** Completes when the plugin is there, and fails with the reason why the subscribe cannot be. */
  CompletableFuture<Void> requirePlugin(String topic, String subscriptionName) {
    if (topicsWithPlugin.contains(topic)) {
      return CompletableFuture.completedFuture(null);
    }
    Question question = new Question(topic, subscriptionName);
    CompletableFuture<Void> answer = new CompletableFuture<>();
    CompletableFuture<Void> earlier = asked.putIfAbsent(question, answer);
    if (earlier != null) {
      return earlier;
    }
    if (topicsWithPlugin.contains(topic)) { // answered between the first look and the question
      asked.remove(question);
      answer.complete(null);
      return answer;
    }
    ask(question)
        .whenComplete(
            (present, failure) -> {
              if (failure == null) {
                topicsWithPlugin.add(topic);
              }
              asked.remove(question);
              if (failure == null) {
                answer.complete(null);
              } else {
                answer.completeExceptionally(unwrap(failure));
              }
            });
    return answer;
  }

  private CompletableFuture<Void> ask(Question question) {
    CompletableFuture<Consumer<byte[]>> subscribe;
    try {
      subscribe =
          client
              .newConsumer()
              .topic(question.topic())
              .subscriptionName(question.subscriptionName() + SUBSCRIPTION_INFIX + Wire.randomId())
              .subscriptionType(SubscriptionType.Exclusive.toPulsar())
              .subscriptionMode(SubscriptionMode.NonDurable)
              .property(Wire.TYPE_PROPERTY, UNKNOWN_TYPE)
              .subscribeAsync();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return subscribe
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
