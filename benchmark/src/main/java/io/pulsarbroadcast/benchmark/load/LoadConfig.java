/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.Map;
import java.util.function.IntFunction;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;

/** What a {@link ConsumerFleet} does. Immutable; any thread may call it. */
public final class LoadConfig {
  /** The consumer property that selects a subscription type the wire enum does not have. */
  public static final String TYPE_PROPERTY = "pulsar.subscription.type";

  public static final String BROADCAST = "Broadcast";

  private final LoadConfigBuilder options;
  private final Map<String, String> consumerProperties;

  LoadConfig(LoadConfigBuilder options) {
    this.options = options;
    this.consumerProperties = Map.copyOf(options.consumerProperties);
  }

  public static LoadConfigBuilder builder() {
    return new LoadConfigBuilder();
  }

  /** Names {@code prefix-000000}, {@code prefix-000001} and so on: the same in every run. */
  public static IntFunction<String> numbered(String prefix) {
    return index -> {
      String digits = Integer.toString(index);
      return prefix + "-" + "0".repeat(Math.max(0, 6 - digits.length())) + digits;
    };
  }

  public String serviceUrl() {
    return options.serviceUrl;
  }

  public String topic() {
    return options.topic;
  }

  public int consumers() {
    return options.consumers;
  }

  /** Never more than there are consumers. */
  public int connections() {
    return Math.min(options.connections, options.consumers);
  }

  /** The number of messages that can be counted; their sequence numbers start at 0. */
  public int messages() {
    return options.messages;
  }

  /** The first messages, which are counted but left out of the latency histogram. */
  public int warmupMessages() {
    return options.warmupMessages;
  }

  /** Subscribes of one connection that may be unanswered at a time. */
  public int subscribeWindow() {
    return options.subscribeWindow;
  }

  /** Permits a consumer has; half of them are renewed when half are used. */
  public int receiverQueueSize() {
    return options.receiverQueueSize;
  }

  /** Heap that one more consumer costs the load generator, apart from its share of a connection. */
  public int bytesPerConsumer() {
    return ConsumerTable.bytesPerConsumer(messages());
  }

  boolean acksAtRegularTimes() {
    return ackPolicy().kind() == AckPolicy.Kind.CUMULATIVE_TIMED;
  }

  /** Whether each consumer looks the topic up before it subscribes, and not only its connection. */
  public boolean lookupPerConsumer() {
    return options.lookupPerConsumer;
  }

  public AckPolicy ackPolicy() {
    return options.ackPolicy;
  }

  public SubType subType() {
    return options.subType;
  }

  public boolean durable() {
    return options.durable;
  }

  /** Whether a new subscription starts at the first message of the topic instead of its end. */
  public boolean fromEarliest() {
    return options.fromEarliest;
  }

  public String consumerName(int index) {
    return options.consumerName.apply(index);
  }

  public String subscriptionName(int index) {
    return options.subscriptionName.apply(index);
  }

  public Map<String, String> consumerProperties() {
    return consumerProperties;
  }

  /** Whether lost connections and closed consumers come back under the same names. */
  public boolean reconnect() {
    return options.reconnect;
  }

  /** Whether each message's CRC32C is checked, as the stock client does. */
  public boolean verifyChecksums() {
    return options.verifyChecksums;
  }

  public int ioThreads() {
    return Math.min(options.ioThreads, connections());
  }

  /** Who hears of every message, or null. */
  DeliveryListener deliveryListener() {
    return options.deliveryListener;
  }

  /** Tells this run's messages from others on the same topic. */
  public int run() {
    return options.run;
  }
}
