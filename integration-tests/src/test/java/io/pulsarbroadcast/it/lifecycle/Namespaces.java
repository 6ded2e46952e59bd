/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.RetentionPolicies;

/**
 * Where the topics of sequences are: one namespace that retains what everybody has acknowledged,
 * and one that does not; now and then new ones, because each topic that is loaded reads what
 * transactions left in its namespace. Any thread may call it.
 */
final class Namespaces {

  private static final int TOPICS = 250;

  /** After how many topics the next namespaces are being made, so that nobody waits for them. */
  private static final int MAKES_NEXT_AFTER = 225;

  private static final int ATTEMPTS = 5;

  private final Broker broker;
  private Pair current;
  private CompletableFuture<Pair> next;
  private int topics;

  private record Pair(String retaining, String trimming) {}

  Namespaces(Broker broker) {
    this.broker = broker;
    this.next = CompletableFuture.supplyAsync(this::newPair);
  }

  /** The name of a topic that there is not yet. */
  synchronized String newTopic(boolean retained) {
    if (topics % TOPICS == 0) {
      current = next.join();
    } else if (topics % TOPICS == MAKES_NEXT_AFTER) {
      next = CompletableFuture.supplyAsync(this::newPair);
    }
    topics++;
    return topicIn(retained ? current.retaining : current.trimming);
  }

  private Pair newPair() {
    try {
      Pair made = new Pair(newNamespace(), newNamespace());
      broker.admin().namespaces().setRetention(made.retaining, new RetentionPolicies(-1, -1));
      return made;
    } catch (Exception e) {
      throw new IllegalStateException("The namespaces could not be made", e);
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
