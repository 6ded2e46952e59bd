/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.pulsar.client.api.BatchReceivePolicy;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.ConsumerCryptoFailureAction;
import org.apache.pulsar.client.api.ConsumerEventListener;
import org.apache.pulsar.client.api.ConsumerInterceptor;
import org.apache.pulsar.client.api.CryptoKeyReader;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.KeySharedPolicy;
import org.apache.pulsar.client.api.MessageCrypto;
import org.apache.pulsar.client.api.MessageListener;
import org.apache.pulsar.client.api.MessagePayloadProcessor;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.RedeliveryBackoff;
import org.apache.pulsar.client.api.RegexSubscriptionMode;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;

/**
 * A consumer builder that knows {@link SubscriptionType#Broadcast}.
 *
 * <p>For one thread at a time, as Pulsar's builder. Settings may come in any order: what belongs
 * together is checked by {@code subscribe}. A builder may subscribe any number of times, and no
 * subscribe changes it.
 */
public interface BroadcastConsumerBuilder<T> extends ConsumerBuilder<T> {

  /**
   * Selects the subscription type, also {@link SubscriptionType#Broadcast}.
   *
   * <p>The last type chosen holds, whether chosen here, with Pulsar's own enum, or as {@code
   * subscriptionType} of {@link #loadConf} (which takes {@code Broadcast} too).
   *
   * @throws NullPointerException if {@code type} is null
   */
  BroadcastConsumerBuilder<T> subscriptionType(SubscriptionType type);

  /**
   * Sets for how long the position of this consumer outlives its connection, at most what the
   * broker allows; without it the broker's setting holds. Only together with Broadcast.
   *
   * @param timeToLive whole seconds, 0 or more
   * @throws IllegalArgumentException if {@code timeToLive} is negative or has a fraction of a
   *     second
   */
  BroadcastConsumerBuilder<T> cursorTimeToLive(Duration timeToLive);

  /**
   * Subscribes a topic or one of its shadow topics (PIP-180), which serve it from more brokers:
   * that which the consumer's name chooses, so that each has about as many consumers. Only together
   * with Broadcast, and instead of other topics.
   *
   * <p>Where the source has the property {@code pulsar.broadcast.position.scope=shadows}, a
   * position goes along with its consumer: with other shadow topics than before, a name that comes
   * to another topic goes on after what it has acknowledged. Close a consumer before you subscribe
   * it with other topics, and tell all consumers the same ones.
   *
   * @param topic the source of the shadow topics
   * @param shadowTopics in any order; those that are about to be deleted are left out
   * @throws IllegalArgumentException if a topic is not persistent
   * @throws NullPointerException if an argument, or a shadow topic, is null
   */
  BroadcastConsumerBuilder<T> topicWithShadows(String topic, Collection<String> shadowTopics);

  /**
   * Gives up the order of deliveries for redelivery of single messages. Only together with
   * Broadcast.
   *
   * <p>The subscribe then has wire type Shared: individual acknowledgments, and messages come back
   * one by one with a redelivery count, so that negative acknowledgments, the ack timeout and the
   * dead letter policy of the stock client work for each consumer.
   */
  BroadcastConsumerBuilder<T> unordered();

  /**
   * Subscribes, as {@link #subscribeAsync()} does, and waits for it.
   *
   * @throws BroadcastNotSupportedException if Broadcast is chosen and the broker has no plugin
   * @throws IllegalArgumentException if settings contradict each other: {@link #cursorTimeToLive},
   *     {@link #topicWithShadows} or {@link #unordered()} without Broadcast, other topics with
   *     {@link #topicWithShadows}, or a property {@code pulsar.subscription.type} that differs from
   *     the type chosen with our {@link SubscriptionType}
   */
  @Override
  Consumer<T> subscribe() throws PulsarClientException;

  /**
   * Subscribes; with Broadcast, once the broker is known to have the plugin.
   *
   * <p>One broker is asked once for each {@link BroadcastClient}, of several topics that of the
   * first one, and of {@link #topicWithShadows} that of the source. With {@code topicsPattern} none
   * is asked: a broker without the plugin then makes ordinary consumers.
   *
   * <p>Without {@code consumerName} the consumer gets a name of 128 random bits: unlike Pulsar's
   * five digits it meets no other, and a consumer started later does not find its position.
   *
   * @return a future that fails with what {@link #subscribe()} throws
   */
  @Override
  CompletableFuture<Consumer<T>> subscribeAsync();

  /** An independent builder with the same settings, interceptors included. */
  @Override
  BroadcastConsumerBuilder<T> clone();

  // The rest is Pulsar's, unchanged but for the type returned. messageListenerExecutor is left out:
  // clients 3.1 to 3.3 lack its parameter type, and a proxy of an interface that mentions it fails.

  @Override
  BroadcastConsumerBuilder<T> loadConf(Map<String, Object> config);

  @Override
  BroadcastConsumerBuilder<T> topic(String... topicNames);

  @Override
  BroadcastConsumerBuilder<T> topics(List<String> topicNames);

  @Override
  BroadcastConsumerBuilder<T> topicsPattern(Pattern topicsPattern);

  @Override
  BroadcastConsumerBuilder<T> topicsPattern(String topicsPattern);

  @Override
  BroadcastConsumerBuilder<T> subscriptionName(String subscriptionName);

  @Override
  BroadcastConsumerBuilder<T> subscriptionProperties(Map<String, String> subscriptionProperties);

  @Override
  BroadcastConsumerBuilder<T> ackTimeout(long ackTimeout, TimeUnit timeUnit);

  @Override
  BroadcastConsumerBuilder<T> isAckReceiptEnabled(boolean isAckReceiptEnabled);

  @Override
  BroadcastConsumerBuilder<T> ackTimeoutTickTime(long tickTime, TimeUnit timeUnit);

  @Override
  BroadcastConsumerBuilder<T> negativeAckRedeliveryDelay(long redeliveryDelay, TimeUnit timeUnit);

  @Override
  BroadcastConsumerBuilder<T> subscriptionType(
      org.apache.pulsar.client.api.SubscriptionType subscriptionType);

  @Override
  BroadcastConsumerBuilder<T> subscriptionMode(SubscriptionMode subscriptionMode);

  @Override
  BroadcastConsumerBuilder<T> messageListener(MessageListener<T> messageListener);

  @Override
  BroadcastConsumerBuilder<T> cryptoKeyReader(CryptoKeyReader cryptoKeyReader);

  @Override
  BroadcastConsumerBuilder<T> defaultCryptoKeyReader(String privateKey);

  @Override
  BroadcastConsumerBuilder<T> defaultCryptoKeyReader(Map<String, String> privateKeys);

  @Override
  @SuppressWarnings("rawtypes")
  BroadcastConsumerBuilder<T> messageCrypto(MessageCrypto messageCrypto);

  @Override
  BroadcastConsumerBuilder<T> cryptoFailureAction(ConsumerCryptoFailureAction action);

  @Override
  BroadcastConsumerBuilder<T> receiverQueueSize(int receiverQueueSize);

  @Override
  BroadcastConsumerBuilder<T> acknowledgmentGroupTime(long delay, TimeUnit unit);

  @Override
  BroadcastConsumerBuilder<T> maxAcknowledgmentGroupSize(int messageNum);

  @Override
  BroadcastConsumerBuilder<T> replicateSubscriptionState(boolean replicateSubscriptionState);

  @Override
  BroadcastConsumerBuilder<T> maxTotalReceiverQueueSizeAcrossPartitions(
      int maxTotalReceiverQueueSizeAcrossPartitions);

  @Override
  BroadcastConsumerBuilder<T> consumerName(String consumerName);

  @Override
  BroadcastConsumerBuilder<T> consumerEventListener(ConsumerEventListener consumerEventListener);

  @Override
  BroadcastConsumerBuilder<T> readCompacted(boolean readCompacted);

  @Override
  BroadcastConsumerBuilder<T> patternAutoDiscoveryPeriod(int periodInMinutes);

  @Override
  BroadcastConsumerBuilder<T> patternAutoDiscoveryPeriod(int interval, TimeUnit unit);

  @Override
  BroadcastConsumerBuilder<T> priorityLevel(int priorityLevel);

  @Override
  BroadcastConsumerBuilder<T> property(String key, String value);

  @Override
  BroadcastConsumerBuilder<T> properties(Map<String, String> properties);

  @Override
  BroadcastConsumerBuilder<T> subscriptionInitialPosition(
      SubscriptionInitialPosition subscriptionInitialPosition);

  @Override
  BroadcastConsumerBuilder<T> subscriptionTopicsMode(RegexSubscriptionMode regexSubscriptionMode);

  @Override
  @SuppressWarnings("unchecked")
  BroadcastConsumerBuilder<T> intercept(ConsumerInterceptor<T>... interceptors);

  @Override
  BroadcastConsumerBuilder<T> deadLetterPolicy(DeadLetterPolicy deadLetterPolicy);

  @Override
  BroadcastConsumerBuilder<T> autoUpdatePartitions(boolean autoUpdate);

  @Override
  BroadcastConsumerBuilder<T> autoUpdatePartitionsInterval(int interval, TimeUnit unit);

  @Override
  BroadcastConsumerBuilder<T> keySharedPolicy(KeySharedPolicy keySharedPolicy);

  @Override
  BroadcastConsumerBuilder<T> startMessageIdInclusive();

  @Override
  BroadcastConsumerBuilder<T> batchReceivePolicy(BatchReceivePolicy batchReceivePolicy);

  /**
   * Pulsar's retry letter topic, for {@code reconsumeLater}. With Broadcast each consumer has its
   * own unless the {@link #deadLetterPolicy} names one, {@code
   * <topic>-<subscriptionName>-<consumerName>-RETRY}, with the first of its topics in the alphabet,
   * or the source of {@link #topicWithShadows}, and both names encoded: from Pulsar's default, one
   * per subscription, every consumer would be sent what any of them retries.
   *
   * <p>Give consumers that retry a name: one without leaves a topic behind each time it starts. The
   * delay before a retry needs {@link #unordered()}, as it needs a Shared subscription in Pulsar.
   */
  @Override
  BroadcastConsumerBuilder<T> enableRetry(boolean retryEnable);

  @Override
  BroadcastConsumerBuilder<T> enableBatchIndexAcknowledgment(
      boolean batchIndexAcknowledgmentEnabled);

  /**
   * @deprecated use {@link #maxPendingChunkedMessage(int)}
   */
  @Deprecated
  @Override
  BroadcastConsumerBuilder<T> maxPendingChuckedMessage(int maxPendingChuckedMessage);

  @Override
  BroadcastConsumerBuilder<T> maxPendingChunkedMessage(int maxPendingChunkedMessage);

  @Override
  BroadcastConsumerBuilder<T> autoAckOldestChunkedMessageOnQueueFull(
      boolean autoAckOldestChunkedMessageOnQueueFull);

  @Override
  BroadcastConsumerBuilder<T> expireTimeOfIncompleteChunkedMessage(long duration, TimeUnit unit);

  @Override
  BroadcastConsumerBuilder<T> poolMessages(boolean poolMessages);

  @Override
  BroadcastConsumerBuilder<T> messagePayloadProcessor(MessagePayloadProcessor payloadProcessor);

  @Override
  BroadcastConsumerBuilder<T> negativeAckRedeliveryBackoff(
      RedeliveryBackoff negativeAckRedeliveryBackoff);

  @Override
  BroadcastConsumerBuilder<T> ackTimeoutRedeliveryBackoff(
      RedeliveryBackoff ackTimeoutRedeliveryBackoff);

  @Override
  BroadcastConsumerBuilder<T> startPaused(boolean paused);

  @Override
  BroadcastConsumerBuilder<T> autoScaledReceiverQueueSizeEnabled(boolean enabled);

  @Override
  BroadcastTopicConsumerBuilder<T> topicConfiguration(String topicName);

  @Override
  BroadcastConsumerBuilder<T> topicConfiguration(
      String topicName,
      java.util.function.Consumer<org.apache.pulsar.client.api.TopicConsumerBuilder<T>>
          builderConsumer);

  @Override
  BroadcastTopicConsumerBuilder<T> topicConfiguration(Pattern topicsPattern);

  @Override
  BroadcastConsumerBuilder<T> topicConfiguration(
      Pattern topicsPattern,
      java.util.function.Consumer<org.apache.pulsar.client.api.TopicConsumerBuilder<T>>
          builderConsumer);
}
