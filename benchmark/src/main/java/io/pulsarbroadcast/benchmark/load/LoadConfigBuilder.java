/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;

/** The options of a {@link LoadConfig}, with defaults. One thread at a time may call it. */
public final class LoadConfigBuilder implements Cloneable {
  String serviceUrl;
  String topic;
  int consumers = 1;
  int connections = 16;
  int messages = 1;
  int warmupMessages;
  int subscribeWindow = 64;
  int receiverQueueSize = 1_000;
  AckPolicy ackPolicy = AckPolicy.CUMULATIVE;
  SubType subType = SubType.Exclusive;
  boolean durable = true;
  boolean fromEarliest;
  IntFunction<String> consumerName = LoadConfig.numbered("consumer");
  IntFunction<String> subscriptionName;
  Map<String, String> consumerProperties = new LinkedHashMap<>();
  boolean reconnect;
  boolean lookupPerConsumer;
  boolean verifyChecksums = true;
  int ioThreads = Runtime.getRuntime().availableProcessors();
  DeliveryListener deliveryListener;
  int run = ThreadLocalRandom.current().nextInt();

  LoadConfigBuilder() {}

  /** Where to look the topic up, for example {@code pulsar://127.0.0.1:6650}. Required. */
  public LoadConfigBuilder serviceUrl(String url) {
    this.serviceUrl = url;
    return this;
  }

  /** A topic that is not partitioned, with its full name. Required. */
  public LoadConfigBuilder topic(String name) {
    this.topic = name;
    return this;
  }

  /** 1 when not set. */
  public LoadConfigBuilder consumers(int count) {
    this.consumers = count;
    return this;
  }

  /** How many connections the consumers share evenly; 16 when not set. */
  public LoadConfigBuilder connections(int count) {
    this.connections = count;
    return this;
  }

  /** How many messages will be published at most. */
  public LoadConfigBuilder messages(int count) {
    this.messages = count;
    return this;
  }

  /** How many of them, from the first, stay out of the latency histogram; 0 when not set. */
  public LoadConfigBuilder warmupMessages(int count) {
    this.warmupMessages = count;
    return this;
  }

  /** 64 when not set. */
  public LoadConfigBuilder subscribeWindow(int unansweredPerConnection) {
    this.subscribeWindow = unansweredPerConnection;
    return this;
  }

  /** 1,000 when not set, as in the stock client; with 0, permits are given by the fleet only. */
  public LoadConfigBuilder receiverQueueSize(int permits) {
    this.receiverQueueSize = permits;
    return this;
  }

  /** Cumulative, after every message, when not set. */
  public LoadConfigBuilder ackPolicy(AckPolicy policy) {
    this.ackPolicy = policy;
    return this;
  }

  /** Exclusive when not set. */
  public LoadConfigBuilder subType(SubType type) {
    this.subType = type;
    return this;
  }

  /** True when not set. */
  public LoadConfigBuilder durable(boolean isDurable) {
    this.durable = isDurable;
    return this;
  }

  /** False when not set. */
  public LoadConfigBuilder fromEarliest(boolean earliest) {
    this.fromEarliest = earliest;
    return this;
  }

  /** {@code consumer-000000} and so on when not set. */
  public LoadConfigBuilder consumerName(IntFunction<String> nameOfIndex) {
    this.consumerName = nameOfIndex;
    return this;
  }

  /** The subscription of each consumer. Required unless {@link #broadcast} or the like is used. */
  public LoadConfigBuilder subscriptionName(IntFunction<String> nameOfIndex) {
    this.subscriptionName = nameOfIndex;
    return this;
  }

  /** All consumers on one Broadcast subscription. */
  public LoadConfigBuilder broadcast(String subscription) {
    return subscriptionName(index -> subscription)
        .consumerProperty(LoadConfig.TYPE_PROPERTY, LoadConfig.BROADCAST);
  }

  /** The consumers dealt out, one after the other, to so many Broadcast subscriptions. */
  public LoadConfigBuilder broadcast(String prefix, int subscriptions) {
    requireAtLeast("subscriptions", subscriptions, 1);
    return broadcast(prefix).subscriptionName(index -> prefix + "-" + index % subscriptions);
  }

  /** A stock subscription for each consumer. */
  public LoadConfigBuilder subscriptionPerConsumer(String prefix) {
    return subscriptionName(LoadConfig.numbered(prefix));
  }

  public LoadConfigBuilder consumerProperty(String key, String value) {
    consumerProperties.put(key, value);
    return this;
  }

  /** False when not set: then a lost connection is an error. */
  public LoadConfigBuilder reconnect(boolean comeBack) {
    this.reconnect = comeBack;
    return this;
  }

  /** False when not set: a connection looks the topic up once for all its consumers. */
  public LoadConfigBuilder lookupPerConsumer(boolean each) {
    this.lookupPerConsumer = each;
    return this;
  }

  /** True when not set. */
  public LoadConfigBuilder verifyChecksums(boolean verify) {
    this.verifyChecksums = verify;
    return this;
  }

  /** Event loops; as many as there are cores when not set. */
  public LoadConfigBuilder ioThreads(int count) {
    this.ioThreads = count;
    return this;
  }

  /** Who hears of every message; nobody when not set. */
  public LoadConfigBuilder deliveryListener(DeliveryListener listener) {
    this.deliveryListener = listener;
    return this;
  }

  /** A random number when not set. */
  public LoadConfigBuilder run(int id) {
    this.run = id;
    return this;
  }

  public LoadConfig build() {
    requireSet("serviceUrl", serviceUrl);
    requireSet("topic", topic);
    requireSet("subscriptionName", subscriptionName);
    requireAtLeast("consumers", consumers, 1);
    requireAtLeast("connections", connections, 1);
    requireAtLeast("messages", messages, 1);
    requireAtLeast("warmupMessages", warmupMessages, 0);
    requireAtLeast("subscribeWindow", subscribeWindow, 1);
    requireAtLeast("receiverQueueSize", receiverQueueSize, 0);
    requireAtLeast("ioThreads", ioThreads, 1);
    return new LoadConfig(copy());
  }

  /** So that a config does not change when its builder is used on. */
  private LoadConfigBuilder copy() {
    try {
      LoadConfigBuilder copy = (LoadConfigBuilder) clone();
      copy.consumerProperties = new LinkedHashMap<>(consumerProperties);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
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
