/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

/** The subscription types of a broker with the pulsar-broadcast plugin: Pulsar's four, and ours. */
public enum SubscriptionType {
  /** One consumer. See {@link org.apache.pulsar.client.api.SubscriptionType#Exclusive}. */
  Exclusive(org.apache.pulsar.client.api.SubscriptionType.Exclusive),

  /** Each message to one of the consumers. */
  Shared(org.apache.pulsar.client.api.SubscriptionType.Shared),

  /** One active consumer, the others stand by. */
  Failover(org.apache.pulsar.client.api.SubscriptionType.Failover),

  /** Each message to one of the consumers, all messages of a key to the same one. */
  Key_Shared(org.apache.pulsar.client.api.SubscriptionType.Key_Shared),

  /**
   * Every message to every consumer; the consumer name is the durable identity of its position.
   * Needs the pulsar-broadcast plugin on the broker.
   */
  Broadcast(org.apache.pulsar.client.api.SubscriptionType.Exclusive);

  private final org.apache.pulsar.client.api.SubscriptionType wireType;

  SubscriptionType(org.apache.pulsar.client.api.SubscriptionType wireType) {
    this.wireType = wireType;
  }

  /**
   * The Pulsar type that a subscribe carries on the wire: the same one for Pulsar's four, {@code
   * Exclusive} for {@link #Broadcast} (which a consumer property tells apart).
   */
  public org.apache.pulsar.client.api.SubscriptionType toPulsar() {
    return wireType;
  }

  /** The constant of the same name as one of Pulsar's four types. */
  public static SubscriptionType fromPulsar(org.apache.pulsar.client.api.SubscriptionType type) {
    return valueOf(type.name());
  }
}
