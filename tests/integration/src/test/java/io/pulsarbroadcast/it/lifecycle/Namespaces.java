/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.NewThread;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.RetentionPolicies;

/**
 * Where the topics of sequences are: a namespace for each of the {@link Rules}; now and then new
 * ones, because each topic that is loaded reads what transactions left in its namespace. Any thread
 * may call it.
 */
final class Namespaces {

  private static final int TOPICS = 250;

  /** After how many topics the next namespaces are being made, so that nobody waits for them. */
  private static final int MAKES_NEXT_AFTER = 225;

  private static final int ATTEMPTS = 5;

  private final Broker broker;
  private Map<Rules, String> current;
  private CompletableFuture<Map<Rules, String>> next;
  private int topics;

  Namespaces(Broker broker) {
    this.broker = broker;
    this.next = CompletableFuture.supplyAsync(this::newNamespaces, NewThread.named("namespaces"));
  }

  /** The name of a topic that there is not yet. */
  synchronized String newTopic(Rules rules) {
    if (topics % TOPICS == 0) {
      current = next.join();
    } else if (topics % TOPICS == MAKES_NEXT_AFTER) {
      next = CompletableFuture.supplyAsync(this::newNamespaces, NewThread.named("namespaces"));
    }
    topics++;
    return topicIn(current.get(rules));
  }

  private Map<Rules, String> newNamespaces() {
    Map<Rules, String> made = new EnumMap<>(Rules.class);
    try {
      for (Rules rules : Rules.values()) {
        String namespace = newNamespace();
        made.put(rules, namespace);
        // After it has had its first subscription.
        set(namespace, rules);
      }
      return made;
    } catch (Exception e) {
      throw new IllegalStateException("The namespaces could not be made", e);
    }
  }

  private void set(String namespace, Rules rules) throws PulsarAdminException {
    if (rules.retained) {
      broker.admin().namespaces().setRetention(namespace, new RetentionPolicies(-1, -1));
    }
    broker.admin().namespaces().setMaxConsumersPerSubscription(namespace, rules.maxConsumers);
    if (rules.declaredOnly) {
      broker.leaveSubscriptionsToOperators(namespace);
    }
  }

  private static String topicIn(String namespace) {
    return "persistent://" + namespace + "/" + UUID.randomUUID();
  }

  private String newNamespace() throws Exception {
    String namespace = "public/lifecycle-" + UUID.randomUUID();
    broker.admin().namespaces().createNamespace(namespace);
    try (PulsarClient client =
        PulsarClient.builder().serviceUrl(broker.process().serviceUrl()).build()) {
      await(client, topicIn(namespace));
    }
    return namespace;
  }

  /** The first subscribe of a namespace has the broker make system topics, which can time out. */
  private static void await(PulsarClient client, String topic) throws PulsarClientException {
    for (int attempt = 1; ; attempt++) {
      try {
        client
            .newConsumer(Schema.STRING)
            .topic(topic)
            .subscriptionName("first")
            .subscribe()
            .close();
        return;
      } catch (PulsarClientException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
