/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;

/**
 * What one sequence is done to: two topics of its own on the broker, with the clients' consumers
 * and producers, and beside them what the oracle knows of them. For one thread.
 */
final class TestBed implements AutoCloseable {

  private static final int CLOSE_SECONDS = 10;
  private static final int CREATE_ATTEMPTS = 10;

  final Clients clients;
  final PulsarAdmin admin;
  final Oracle oracle;

  /** How long what must come may take. */
  final long patienceMillis;

  private final List<String> topics;
  private final List<Publisher> publishers;
  private final List<Observation> observations;
  private final Map<Session, Consumer<String>> consumers = new HashMap<>();

  /** When each was disconnected last because the sequence wanted it; 0: never. */
  private final Map<Session, Long> disconnectedMillis = new HashMap<>();

  /** Makes the topics. */
  TestBed(Clients clients, Rules rules, long patienceMillis) throws Exception {
    this.clients = clients;
    this.admin = clients.admin();
    this.patienceMillis = patienceMillis;
    this.oracle = new Oracle(rules);
    this.topics = clients.newTopics(rules);
    this.publishers =
        topics.stream().map(topic -> new Publisher(clients.client(0), topic)).toList();
    this.observations =
        IntStream.range(0, topics.size())
            .mapToObj(i -> clients.observation(topics.get(i), i, patienceMillis))
            .toList();
    for (String topic : topics) {
      create(topic);
    }
  }

  /**
   * Makes a topic; again where the broker's metadata store gave up, which waits for a lock for a
   * second: on a busy machine that is too short for the number of a new ledger.
   */
  void create(String topic) throws PulsarAdminException {
    for (int attempt = 1; ; attempt++) {
      try {
        admin.topics().createNonPartitionedTopic(topic);
        return;
      } catch (PulsarAdminException.ServerSideErrorException e) {
        if (attempt == CREATE_ATTEMPTS
            || !String.valueOf(e.getMessage()).contains("Error while using MetaStore")) {
          throw e;
        }
      } catch (PulsarAdminException.ConflictException e) {
        if (attempt == 1) {
          throw e;
        }
        return; // The failed attempt has left its metadata, which is all that a topic takes.
      }
    }
  }

  /** How many topics there are; they are numbered from 0 on. */
  int topics() {
    return topics.size();
  }

  String topic(int number) {
    return topics.get(number);
  }

  Publisher publisher(int topic) {
    return publishers.get(topic);
  }

  Observation observation(int topic) {
    return observations.get(topic);
  }

  TopicModel model(int topic) {
    return oracle.topics.get(topic);
  }

  SubscriptionModel subscription(int topic) {
    return model(topic).subscription;
  }

  String subscriptionName(int topic) {
    return Clients.subscription(topic);
  }

  /** A consumer has been connected. */
  void connected(Session session, Consumer<String> consumer) {
    consumers.put(session, consumer);
    disconnectedMillis.put(session, consumer.getLastDisconnectedTimestamp());
    oracle.connected(session);
  }

  Consumer<String> consumer(Session session) {
    return consumers.get(session);
  }

  /** Takes the consumer of a session that ends; the caller closes it. */
  Consumer<String> gone(Session session) {
    oracle.gone(session);
    return consumers.remove(session);
  }

  /** The sessions with consumers. */
  List<Session> sessions() {
    return List.copyOf(consumers.keySet());
  }

  void awaitConnected(Session session) throws Exception {
    observation(session.topic).await(consumer(session)::isConnected, session + " to be connected");
    disconnectedMillis.put(session, consumer(session).getLastDisconnectedTimestamp());
  }

  /** Whether its client has been disconnected by something else than the sequence. */
  boolean isDisturbed(Session session) {
    return consumer(session).getLastDisconnectedTimestamp() != disconnectedMillis.get(session);
  }

  /** What the broker and the client say of a consumer that misses something. */
  String missing(Session session) throws PulsarAdminException {
    return "%s; the broker has %s%s"
        .formatted(
            oracle.missing(session),
            observation(session.topic).consumers(),
            isDisturbed(session) ? "; its client has been disconnected by something else" : "");
  }

  /** Something that is done to the broker. */
  interface Step {
    void run() throws Exception;
  }

  /** Does something that disconnects consumers, and waits until they are back. */
  void reconnecting(List<Session> lost, Step step) throws Exception {
    for (Session each : lost) {
      awaitConnected(each);
    }
    step.run();
    for (Session each : lost) {
      Consumer<String> consumer = consumer(each);
      observation(each.topic)
          .await(
              () -> consumer.getLastDisconnectedTimestamp() != disconnectedMillis.get(each),
              each + " to be disconnected");
      awaitConnected(each);
    }
  }

  void closeProducer(int topic) throws Exception {
    observation(topic).await(publisher(topic)::isSettled, "the producer to be connected");
    publisher(topic).close();
  }

  @Override
  public void close() {
    // Before their topics go: a stock client that closes a consumer or producer while it connects
    // closes the connection, which the next sequence has too.
    CompletableFuture.allOf(
            consumers.values().stream()
                .map(Consumer::closeAsync)
                .toArray(CompletableFuture<?>[]::new))
        .exceptionally(e -> null)
        .completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS)
        .join();
    for (int topic = 0; topic < topics(); topic++) {
      try {
        closeProducer(topic);
      } catch (Exception | Difference e) {
        // Its topic is nobody's any more, and the next sequence has topics of its own.
      }
      admin.topics().deleteAsync(topic(topic), true);
    }
  }
}
