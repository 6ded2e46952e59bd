/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.ledger.EphemeralCursor;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;

/**
 * What a Broadcast subscribe is taken for: copies of what the client asked for. Stateless; may be
 * called from any thread.
 */
final class SubscribeOptions {

  /** Time enough to come back over the same connection after an unload or a seek. */
  private static final String NAMELESS_TIME_TO_LIVE_SECONDS = "60";

  private SubscribeOptions() {}

  /** The consumer's properties; never null. */
  static Map<String, String> properties(SubscriptionOption option) {
    return Optional.ofNullable(option.getMetadata()).orElse(Map.of());
  }

  /**
   * A consumer that sends no name gets one, which is its own for as long as it has its connection.
   *
   * @param nameOf makes a name of the id that the client gave the consumer
   */
  static SubscriptionOption named(SubscriptionOption option, LongFunction<String> nameOf) {
    return option.getConsumerName() != null && !option.getConsumerName().isBlank()
        ? option
        : copy(option)
            .consumerName(nameOf.apply(option.getConsumerId()))
            .subType(option.getSubType())
            .isDurable(option.isDurable())
            .metadata(briefly(option))
            .startMessageId(option.getStartMessageId())
            .startMessageRollbackDurationSec(option.getStartMessageRollbackDurationSec())
            .build();
  }

  /** The name does not come back after the connection: its position need not wait for longer. */
  static Map<String, String> briefly(SubscriptionOption option) {
    Map<String, String> brief = new HashMap<>(properties(option));
    brief.putIfAbsent(BroadcastContract.TTL_PROPERTY, NAMELESS_TIME_TO_LIVE_SECONDS);
    return brief;
  }

  /**
   * What the broker's own path is asked for: durable, because the one cursor is, and Exclusive,
   * which is the type that the subscription shows it.
   *
   * @param isNew whether it makes its subscription
   */
  static SubscriptionOption asExclusive(SubscriptionOption option, boolean isNew) {
    Optional<Map<String, String>> properties = option.getSubscriptionProperties();
    return copy(option)
        .subscriptionProperties(
            isNew && !option.isDurable()
                ? Optional.of(EphemeralCursor.withProperty(properties.orElse(Map.of())))
                : properties)
        .subType(SubType.Exclusive)
        .isDurable(true)
        .metadata(Map.of(BroadcastContract.TYPE_PROPERTY, BroadcastContract.BROADCAST))
        .build();
  }

  /** What all copies of a subscribe have; its state is not replicated. */
  private static SubscriptionOption.SubscriptionOptionBuilder copy(SubscriptionOption option) {
    return SubscriptionOption.builder()
        .cnx(option.getCnx())
        .subscriptionName(option.getSubscriptionName())
        .consumerId(option.getConsumerId())
        .priorityLevel(option.getPriorityLevel())
        .consumerName(option.getConsumerName())
        .initialPosition(option.getInitialPosition())
        .keySharedMeta(option.getKeySharedMeta())
        .subscriptionProperties(option.getSubscriptionProperties())
        .consumerEpoch(option.getConsumerEpoch())
        .schemaType(option.getSchemaType());
  }
}
