/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;

/**
 * What a {@link ConsumerFleet} does: options with defaults, set one after the other by one thread.
 * After {@link #build()} it is not to be changed any more; any thread may read its fields.
 */
public final class LoadConfig {
  /** The consumer property that selects a subscription type the wire enum does not have. */
  public static final String TYPE_PROPERTY = "pulsar.subscription.type";

  public static final String BROADCAST = "Broadcast";

  public String serviceUrl;
  public String topic;
  public int consumers = 1;
  public int connections = 16;
  public int messages = 1;
  public int warmupMessages;
  public int keys;
  public int subscribeWindow = 64;
  public int receiverQueueSize = 1_000;
  public AckPolicy ackPolicy = AckPolicy.CUMULATIVE;
  public SubType subType = SubType.Exclusive;
  public boolean durable = true;
  public IntFunction<String> consumerName = numbered("consumer");
  public IntFunction<String> subscriptionName;
  public final Map<String, String> consumerProperties = new LinkedHashMap<>();
  public boolean reconnect;
  public boolean lookupPerConsumer;
  public boolean verifyChecksums = true;
  public int ioThreads = Runtime.getRuntime().availableProcessors();
  public DeliveryListener deliveryListener;
  public int run = ThreadLocalRandom.current().nextInt();

  private LoadConfig() {}

  public static LoadConfig builder() {
    return new LoadConfig();
  }

  /** Names {@code prefix-000000}, {@code prefix-000001} and so on: the same in every run. */
  public static IntFunction<String> numbered(String prefix) {
    return index -> {
      String digits = Integer.toString(index);
      return prefix + "-" + "0".repeat(Math.max(0, 6 - digits.length())) + digits;
    };
  }

  /**
   * Where to look the topic up, for example {@code pulsar://127.0.0.1:6650}; of several, {@code
   * pulsar://host:port,host:port}, the next when one does not answer. Required.
   */
  public LoadConfig serviceUrl(String url) {
    this.serviceUrl = url;
    return this;
  }

  /** A topic that is not partitioned, with its full name. Required. */
  public LoadConfig topic(String name) {
    this.topic = name;
    return this;
  }

  /** 1 when not set. */
  public LoadConfig consumers(int count) {
    this.consumers = count;
    return this;
  }

  /** How many connections the consumers share evenly; 16 when not set. */
  public LoadConfig connections(int count) {
    this.connections = count;
    return this;
  }

  /** How many messages will be published at most. */
  public LoadConfig messages(int count) {
    this.messages = count;
    return this;
  }

  /** How many of them, from the first, stay out of the latency histogram; 0 when not set. */
  public LoadConfig warmupMessages(int count) {
    this.warmupMessages = count;
    return this;
  }

  /** Keys that the messages have in turn; 0, for none, when not set. */
  public LoadConfig keys(int count) {
    this.keys = count;
    return this;
  }

  /** 64 when not set. */
  public LoadConfig subscribeWindow(int unansweredPerConnection) {
    this.subscribeWindow = unansweredPerConnection;
    return this;
  }

  /** 1,000 when not set, as in the stock client; with 0, permits are given by the fleet only. */
  public LoadConfig receiverQueueSize(int permits) {
    this.receiverQueueSize = permits;
    return this;
  }

  /** Cumulative, after every message, when not set. */
  public LoadConfig ackPolicy(AckPolicy policy) {
    this.ackPolicy = policy;
    return this;
  }

  /** Exclusive when not set. */
  public LoadConfig subType(SubType type) {
    this.subType = type;
    return this;
  }

  /** True when not set. */
  public LoadConfig durable(boolean isDurable) {
    this.durable = isDurable;
    return this;
  }

  /** {@code consumer-000000} and so on when not set. */
  public LoadConfig consumerName(IntFunction<String> nameOfIndex) {
    this.consumerName = nameOfIndex;
    return this;
  }

  /** The subscription of each consumer. Required unless {@link #broadcast} or the like is used. */
  public LoadConfig subscriptionName(IntFunction<String> nameOfIndex) {
    this.subscriptionName = nameOfIndex;
    return this;
  }

  /** All consumers on one Broadcast subscription. */
  public LoadConfig broadcast(String subscription) {
    return subscriptionName(index -> subscription).consumerProperty(TYPE_PROPERTY, BROADCAST);
  }

  /** The consumers dealt out, one after the other, to so many Broadcast subscriptions. */
  public LoadConfig broadcast(String prefix, int subscriptions) {
    requireAtLeast("subscriptions", subscriptions, 1);
    return broadcast(prefix).subscriptionName(index -> prefix + "-" + index % subscriptions);
  }

  /** A stock subscription for each consumer. */
  public LoadConfig subscriptionPerConsumer(String prefix) {
    return subscriptionName(numbered(prefix));
  }

  public LoadConfig consumerProperty(String key, String value) {
    consumerProperties.put(key, value);
    return this;
  }

  /** False when not set: then a lost connection is an error. */
  public LoadConfig reconnect(boolean comeBack) {
    this.reconnect = comeBack;
    return this;
  }

  /** False when not set: a connection looks the topic up once for all its consumers. */
  public LoadConfig lookupPerConsumer(boolean each) {
    this.lookupPerConsumer = each;
    return this;
  }

  /** True when not set. */
  public LoadConfig verifyChecksums(boolean verify) {
    this.verifyChecksums = verify;
    return this;
  }

  /** Event loops; as many as there are cores when not set. */
  public LoadConfig ioThreads(int count) {
    this.ioThreads = count;
    return this;
  }

  /** Who hears of every message; nobody when not set. */
  public LoadConfig deliveryListener(DeliveryListener listener) {
    this.deliveryListener = listener;
    return this;
  }

  /** A random number when not set. */
  public LoadConfig run(int id) {
    this.run = id;
    return this;
  }

  /** Checks the options. Never more connections than consumers, nor event loops than these. */
  public LoadConfig build() {
    requireSet("serviceUrl", serviceUrl);
    requireSet("topic", topic);
    requireSet("subscriptionName", subscriptionName);
    requireAtLeast("consumers", consumers, 0);
    requireAtLeast("connections", connections, 1);
    requireAtLeast("messages", messages, 1);
    requireAtLeast("warmupMessages", warmupMessages, 0);
    requireAtLeast("subscribeWindow", subscribeWindow, 1);
    requireAtLeast("receiverQueueSize", receiverQueueSize, 0);
    requireAtLeast("ioThreads", ioThreads, 1);
    connections = Math.min(connections, consumers);
    ioThreads = Math.max(1, Math.min(ioThreads, connections));
    return this;
  }

  /** Heap that one more consumer costs the load generator, apart from its share of a connection. */
  public int bytesPerConsumer() {
    return ConsumerTable.bytesPerConsumer(messages);
  }

  private static void requireSet(String option, Object value) {
    if (value == null) {
      throw new IllegalArgumentException(option + " is not set");
    }
  }

  private static void requireAtLeast(String option, int value, int lowest) {
    if (value < lowest) {
      throw new IllegalArgumentException(
          "%s is %d; allowed: %d and above".formatted(option, value, lowest));
    }
  }
}
