/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.lifecycle.Observation.Missing;
import io.pulsarbroadcast.it.lifecycle.TopicModel.Published;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.impl.ConsumerImpl;
import org.apache.pulsar.client.impl.MessageIdImpl;

/**
 * Does one sequence to a broker, on topics of its own, and compares what happens with what the
 * oracle says. It never waits for silence: it waits for what must come. For one thread.
 */
final class Runner implements AutoCloseable {

  private static final int CLOSE_SECONDS = 10;

  private final Clients clients;
  private final PulsarAdmin admin;
  private final Oracle oracle;
  private final List<String> topics;
  private final List<Publisher> publishers;
  private final List<Observation> observations;
  private final long patienceMillis;
  private final Map<Session, Consumer<String>> consumers = new HashMap<>();

  /** Makes the topics. */
  private Runner(Clients clients, Sequence sequence, long patienceMillis) throws Exception {
    this.clients = clients;
    this.admin = clients.admin();
    this.patienceMillis = patienceMillis;
    this.oracle = new Oracle(sequence.retained());
    this.topics = clients.newTopics(sequence.retained());
    this.publishers =
        topics.stream().map(topic -> new Publisher(clients.client(0), topic)).toList();
    this.observations =
        IntStream.range(0, topics.size())
            .mapToObj(i -> clients.observation(topics.get(i), i, patienceMillis))
            .toList();
    for (String topic : topics) {
      admin.topics().createNonPartitionedTopic(topic);
    }
  }

  /**
   * Runs a sequence.
   *
   * @param patienceMillis how long what must come may take
   * @throws Difference when the broker did something else than the oracle says
   */
  static void run(Clients clients, Sequence sequence, long patienceMillis) throws Exception {
    try (Runner runner = new Runner(clients, sequence, patienceMillis)) {
      List<Operation> operations = sequence.operations();
      for (int i = 0; i < operations.size(); i++) {
        Operation operation = operations.get(i);
        runner.during(
            "operation %d, %s".formatted(sequence.kept().get(i), operation),
            () -> runner.apply(operation));
      }
      runner.during("the end", runner::finish);
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private void during(String what, Step step) {
    try {
      step.run();
    } catch (Exception | Difference e) {
      throw new Difference(
          "At %s of topic %s: %s"
              .formatted(what, topics.get(0), e instanceof Difference ? e.getMessage() : e),
          e);
    }
  }

  private void apply(Operation operation) throws Exception {
    if (operation instanceof Operation.Subscribe subscribe) {
      subscribe(subscribe);
    } else if (operation instanceof Operation.SubscribePlain subscribe) {
      subscribePlain(subscribe);
    } else if (operation instanceof Operation.SubscribeWrongly wrong) {
      refused(
          clients.mistaken(wrong.mistake(), topics.get(wrong.topic()), wrong.topic()),
          PulsarClientException.NotAllowedException.class,
          "");
    } else if (operation instanceof Operation.SubscribeReader reader) {
      subscribeReader(reader.topic());
    } else if (operation instanceof Operation.LoseConnection lose) {
      loseConnection(lose.half());
    } else if (operation instanceof Operation.Unload unload) {
      unload(unload.topic());
    } else if (operation instanceof Operation.Delete delete) {
      delete(delete.topic(), delete.unloaded());
    } else if (!applyToConsumer(operation) && !publish(operation)) {
      administer(operation);
    }
  }

  // Subscribing

  private void subscribe(Operation.Subscribe operation) throws Exception {
    SubscriptionModel subscription = subscription(operation.topic());
    if (oracle.session(operation.slot()) != null) {
      return;
    }
    ConsumerBuilder<String> consumer = clients.broadcast(operation, topics.get(operation.topic()));
    if (subscription.isPlain() && !subscription.sessions().isEmpty()) {
      refused(consumer, PulsarClientException.ConsumerBusyException.class, "in use");
      return;
    }
    Consumer<String> connected = consumer.subscribe();
    connected(
        subscription.connect(
            operation.slot(),
            operation.topic(),
            operation.name(),
            operation.ordered(),
            operation.durable(),
            operation.earliest()),
        connected);
  }

  private void subscribePlain(Operation.SubscribePlain operation) throws Exception {
    SubscriptionModel subscription = subscription(operation.topic());
    if (oracle.session(operation.slot()) != null
        || subscription.isPlain() && !subscription.sessions().isEmpty()) {
      return;
    }
    ConsumerBuilder<String> consumer = clients.plain(operation, topics.get(operation.topic()));
    boolean single =
        operation.type() == SubscriptionType.Exclusive
            || operation.type() == SubscriptionType.Failover;
    if (subscription.isDeclared()) {
      if (operation.type() == SubscriptionType.Exclusive
          || operation.type() == SubscriptionType.Shared) {
        Consumer<String> connected = consumer.consumerName("undeclared").subscribe();
        connected(
            subscription.connect(
                operation.slot(),
                operation.topic(),
                "undeclared",
                single,
                true,
                operation.earliest()),
            connected);
      } else {
        refused(consumer, PulsarClientException.NotAllowedException.class, "");
      }
    } else if (subscription.isBroadcast() && subscription.hasPositions()) {
      refused(consumer, PulsarClientException.ConsumerBusyException.class, "Broadcast");
    } else {
      Consumer<String> connected = consumer.subscribe();
      connected(
          subscription.connectPlain(
              operation.slot(), operation.topic(), single, operation.earliest()),
          connected);
    }
  }

  private void subscribeReader(int topic) throws Exception {
    SubscriptionModel subscription = subscription(topic);
    if (!subscription.isBroadcast() || subscription.isPerhapsGone() || subscription.isDeclared()) {
      return;
    }
    refused(
        clients.reader(topics.get(topic), topic),
        subscription.hasPositions()
            ? PulsarClientException.ConsumerBusyException.class
            : PulsarClientException.NotAllowedException.class,
        "");
  }

  private void connected(Session session, Consumer<String> consumer) {
    consumers.put(session, consumer);
    oracle.connected(session);
  }

  private static void refused(
      ConsumerBuilder<String> consumer,
      Class<? extends PulsarClientException> error,
      String sentence) {
    try {
      consumer.subscribe().close();
    } catch (PulsarClientException e) {
      Difference.unless(
          error.isInstance(e) && e.getMessage().contains(sentence),
          "refused as it should be, but not with %s: %s",
          error.getSimpleName(),
          e);
      return;
    }
    throw new Difference("accepted what should be refused with " + error.getSimpleName());
  }

  // What consumers do

  private boolean applyToConsumer(Operation operation) throws Exception {
    if (operation instanceof Operation.Receive receive) {
      Session session = oracle.session(receive.slot());
      if (session != null) {
        receive(session, receive.count());
      }
    } else if (operation instanceof Operation.Acknowledge ack) {
      acknowledge(oracle.session(ack.slot()), ack.pick(), false);
    } else if (operation instanceof Operation.AcknowledgeCumulative ack) {
      acknowledge(oracle.session(ack.slot()), ack.pick(), true);
    } else if (operation instanceof Operation.AcknowledgeInTransaction ack) {
      acknowledgeInTransaction(oracle.session(ack.slot()), ack.pick());
    } else if (operation instanceof Operation.NegativelyAcknowledge nack) {
      negativelyAcknowledge(oracle.session(nack.slot()), nack.pick());
    } else if (operation instanceof Operation.Seek seek) {
      seek(oracle.session(seek.slot()), seek.place());
    } else if (operation instanceof Operation.Close close) {
      close(oracle.session(close.slot()));
    } else if (operation instanceof Operation.Unsubscribe unsubscribe) {
      unsubscribe(oracle.session(unsubscribe.slot()));
    } else {
      return false;
    }
    return true;
  }

  private void receive(Session session, int count) throws PulsarClientException {
    int left = Math.min(count, oracle.pending(session));
    while (left > 0 && oracle.pending(session) > 0) {
      int before = oracle.pending(session);
      Message<String> message =
          consumers.get(session).receive((int) patienceMillis, TimeUnit.MILLISECONDS);
      Difference.unless(message != null, oracle.missing(session));
      oracle.received(session, message);
      left -= before - oracle.pending(session);
    }
  }

  private void acknowledge(Session session, int pick, boolean cumulative) throws Exception {
    Published entry = pick(session, pick);
    if (entry == null || cumulative && !session.ordered) {
      return;
    }
    Consumer<String> consumer = consumers.get(session);
    if (cumulative) {
      consumer.acknowledgeCumulative(session.deliveries.get(entry.endOfEntry() - 1));
    } else {
      for (Message<String> message : messagesOf(session, entry)) {
        consumer.acknowledge(message);
      }
    }
    oracle.acknowledged(session, entry, cumulative);
  }

  private void acknowledgeInTransaction(Session session, int pick) throws Exception {
    Published entry = pick(session, pick);
    if (entry == null || !session.broadcast) {
      return;
    }
    Transaction transaction = clients.client(0).newTransaction().build().get();
    try {
      consumers
          .get(session)
          .acknowledgeAsync(
              session.deliveries.get(entry.firstOfEntry()).getMessageId(), transaction)
          .get();
    } catch (ExecutionException e) {
      Difference.unless(
          e.getMessage().contains("not supported on a Broadcast subscription"),
          "refused as it should be, but not with that sentence: %s",
          e);
      transaction.abort().get();
      return;
    }
    throw new Difference("accepted an acknowledgement in a transaction");
  }

  private void negativelyAcknowledge(Session session, int pick) {
    Published entry = pick(session, pick);
    if (entry != null) {
      messagesOf(session, entry).forEach(consumers.get(session)::negativeAcknowledge);
      oracle.negativelyAcknowledged(session, entry);
    }
  }

  private Published pick(Session session, int pick) {
    List<Published> inHand = session == null ? List.of() : oracle.inHand(session);
    return inHand.isEmpty() ? null : inHand.get(pick % inHand.size());
  }

  private static List<Message<String>> messagesOf(Session session, Published entry) {
    return IntStream.range(entry.firstOfEntry(), entry.endOfEntry())
        .mapToObj(session.deliveries::get)
        .toList();
  }

  private void seek(Session session, int place) throws Exception {
    if (session == null) {
      return;
    }
    TopicModel topic = oracle.topicOf(session);
    int message = topic.at(place);
    consumers
        .get(session)
        .seek(message == topic.end() ? MessageId.latest : topic.messages.get(message).id());
    awaitConnected(session);
    topic.subscription.seek(session, message);
  }

  private void close(Session session) throws Exception {
    if (session == null) {
      return;
    }
    SubscriptionModel subscription = oracle.topicOf(session).subscription;
    Observation observation = observations.get(session.topic);
    Missing missing = session.isBrief() ? observation.missing("position_expiry") : null;
    consumers.remove(session).close();
    oracle.gone(session);
    subscription.close(session);
    if (session.isBrief()) {
      missing.await(Missed.byExpiry(subscription, session.name));
      subscription.expire(session.name);
      observation.awaitWaiting(subscription.waiting());
    } else if (subscription.isAbandoned()) {
      observation.awaitAbsent();
      subscription.deleted();
    }
  }

  private void unsubscribe(Session session) throws Exception {
    if (session == null) {
      return;
    }
    Consumer<String> consumer = consumers.remove(session);
    consumer.unsubscribe();
    consumer.close();
    oracle.gone(session);
    SubscriptionModel subscription = oracle.topicOf(session).subscription;
    subscription.unsubscribe(session);
    if (!subscription.exists()) {
      observations.get(session.topic).awaitAbsent();
    }
  }

  // What happens to connections and topics

  private void loseConnection(int half) throws Exception {
    List<Session> lost =
        consumers.keySet().stream().filter(session -> session.slot % 2 == half).toList();
    if (lost.isEmpty()) {
      return;
    }
    reconnected(
        lost,
        () -> ((ConsumerImpl<String>) consumers.get(lost.get(0))).getClientCnx().ctx().close());
    for (int topic = 0; topic < topics.size(); topic++) {
      int number = topic;
      subscription(topic)
          .reconnected(lost.stream().filter(session -> session.topic == number).toList(), false);
    }
  }

  private void unload(int topic) throws Exception {
    SubscriptionModel subscription = subscription(topic);
    reconnected(subscription.sessions(), () -> admin.topics().unload(topics.get(topic)));
    subscription.reconnected(subscription.sessions(), true);
  }

  /** Does something that disconnects consumers, and waits until they are back. */
  private void reconnected(List<Session> lost, Step step) throws Exception {
    for (Session each : lost) {
      awaitConnected(each);
    }
    Map<Session, Long> before = new HashMap<>();
    lost.forEach(each -> before.put(each, consumers.get(each).getLastDisconnectedTimestamp()));
    step.run();
    for (Session each : lost) {
      Consumer<String> consumer = consumers.get(each);
      observations
          .get(each.topic)
          .await(
              () ->
                  consumer.getLastDisconnectedTimestamp() != before.get(each)
                      && consumer.isConnected(),
              each + " to be connected again");
    }
  }

  private void awaitConnected(Session session) throws Exception {
    observations
        .get(session.topic)
        .await(consumers.get(session)::isConnected, session + " to be connected");
  }

  private void delete(int topic, boolean unloaded) throws Exception {
    TopicModel model = oracle.topics.get(topic);
    if (model.terminated && model.isPerhapsTrimmed()) {
      // Stock Pulsar does not delete a terminated topic of which nothing is left on storage.
      return;
    }
    for (Session session : subscription(topic).sessions()) {
      consumers.remove(session).close();
      oracle.gone(session);
    }
    endTransaction(topic, false);
    closeProducer(topic);
    if (unloaded) {
      admin.topics().unload(topics.get(topic));
    }
    admin.topics().delete(topics.get(topic));
    model.deleted();
    admin.topics().createNonPartitionedTopic(topics.get(topic));
  }

  private void closeProducer(int topic) throws Exception {
    observations.get(topic).await(publishers.get(topic)::isSettled, "the producer to be connected");
    publishers.get(topic).close();
  }

  // Publishing

  private boolean publish(Operation operation) throws Exception {
    if (operation instanceof Operation.Publish publish) {
      TopicModel topic = publishable(publish.topic());
      if (topic != null) {
        topic.publish(
            publishers.get(publish.topic()).publish(values(publish.topic(), publish.count())),
            false,
            false);
      }
    } else if (operation instanceof Operation.PublishBatch publish) {
      TopicModel topic = publishable(publish.topic());
      if (topic != null) {
        topic.publish(
            publishers.get(publish.topic()).publishBatch(values(publish.topic(), publish.count())),
            true,
            false);
      }
    } else if (operation instanceof Operation.PublishDelayed publish) {
      TopicModel topic = publishable(publish.topic());
      if (topic != null) {
        topic.publish(
            publishers
                .get(publish.topic())
                .publishDelayed(values(publish.topic(), publish.count())),
            false,
            true);
      }
    } else if (operation instanceof Operation.PublishInTransaction publish) {
      TopicModel topic = publishable(publish.topic());
      if (topic != null) {
        topic.publishInTransaction(
            publishers
                .get(publish.topic())
                .publishInTransaction(values(publish.topic(), publish.count())));
      }
    } else if (operation instanceof Operation.EndTransaction end) {
      endTransaction(end.topic(), end.commit());
    } else {
      return false;
    }
    return true;
  }

  private TopicModel publishable(int topic) {
    return oracle.topics.get(topic).terminated ? null : oracle.topics.get(topic);
  }

  private List<String> values(int topic, int count) {
    int end = oracle.topics.get(topic).end();
    return IntStream.range(end, end + count)
        .mapToObj(message -> oracle.value(topic, message))
        .toList();
  }

  private void endTransaction(int topic, boolean commit) throws Exception {
    TopicModel model = oracle.topics.get(topic);
    if (!model.open.isEmpty()) {
      publishers.get(topic).endTransaction(commit);
      model.endTransaction(commit);
    }
  }

  // What an operator does

  private void administer(Operation operation) throws Exception {
    if (operation instanceof Operation.CreateSubscription create) {
      createSubscription(create);
    } else if (operation instanceof Operation.DeleteSubscription delete) {
      deleteSubscription(delete.topic());
    } else if (operation instanceof Operation.Skip skip) {
      if (exists(skip.topic())) {
        Missed missed = Missed.bySkip(subscription(skip.topic()), skip.entries());
        Missing missing = observations.get(skip.topic()).missing("skip");
        admin.topics().skipMessages(topics.get(skip.topic()), name(skip.topic()), skip.entries());
        missing.await(missed);
        subscription(skip.topic()).skip(skip.entries());
      }
    } else if (operation instanceof Operation.ClearBacklog clear) {
      if (exists(clear.topic())) {
        int end = oracle.topics.get(clear.topic()).end();
        Missing missing = observations.get(clear.topic()).missing("clear");
        admin.topics().skipAllMessages(topics.get(clear.topic()), name(clear.topic()));
        missing.await(Missed.byMove(subscription(clear.topic()), end, end));
        subscription(clear.topic()).moveOn(end, end);
      }
    } else if (operation instanceof Operation.ResetCursor reset) {
      resetCursor(reset.topic(), reset.place());
    } else if (operation instanceof Operation.ExpireMessages expire) {
      expireMessages(expire.topic(), expire.place());
    } else if (operation instanceof Operation.Truncate truncate) {
      TopicModel topic = oracle.topics.get(truncate.topic());
      Missing missing = observations.get(truncate.topic()).missing("quota");
      admin.topics().truncate(topics.get(truncate.topic()));
      if (topic.subscription.exists()) {
        missing.await(Missed.byMove(topic.subscription, topic.end(), topic.end()));
        topic.subscription.moveOn(0, topic.end());
      }
      topic.truncated();
    } else if (operation instanceof Operation.Terminate terminate) {
      TopicModel topic = oracle.topics.get(terminate.topic());
      // Of a terminated topic without a message stock Pulsar does not open new subscriptions.
      if (!topic.terminated && topic.open.isEmpty() && topic.end() > 0) {
        // A producer that is cut off from a terminated topic does not come back.
        closeProducer(terminate.topic());
        admin.topics().terminateTopic(topics.get(terminate.topic()));
        topic.terminated = true;
      }
    } else {
      throw new IllegalArgumentException(operation.toString());
    }
  }

  private boolean exists(int topic) {
    return subscription(topic).exists() && !subscription(topic).isPerhapsGone();
  }

  private void createSubscription(Operation.CreateSubscription create) throws Exception {
    SubscriptionModel subscription = subscription(create.topic());
    if (subscription.exists()) {
      return;
    }
    admin
        .topics()
        .createSubscription(
            topics.get(create.topic()),
            name(create.topic()),
            create.earliest() ? MessageId.earliest : MessageId.latest,
            false,
            create.broadcast() ? Map.of("pulsar.subscription.type", "Broadcast") : Map.of());
    subscription.create(create.broadcast(), create.earliest());
  }

  private void deleteSubscription(int topic) throws Exception {
    SubscriptionModel subscription = subscription(topic);
    if (!exists(topic)) {
      return;
    }
    try {
      admin.topics().deleteSubscription(topics.get(topic), name(topic));
    } catch (PulsarAdminException.PreconditionFailedException e) {
      Difference.unless(!subscription.sessions().isEmpty(), "refused though nobody uses it: %s", e);
      return;
    }
    Difference.unless(subscription.sessions().isEmpty(), "deleted though it is in use");
    subscription.deleted();
  }

  private void resetCursor(int topic, int place) throws Exception {
    TopicModel model = oracle.topics.get(topic);
    if (!exists(topic) || model.end() == 0) {
      return;
    }
    int message = Math.min(model.at(place), model.messages.get(model.end() - 1).firstOfEntry());
    Missed missed =
        Missed.byReset(
            model.subscription, message, model.isPerhapsTrimmed() ? model.end() : message);
    Missing missing = observations.get(topic).missing("reset");
    try {
      reconnected(
          model.subscription.sessions(),
          () ->
              admin
                  .topics()
                  .resetCursor(topics.get(topic), name(topic), entryId(model, message), false));
    } catch (PulsarAdminException.PreconditionFailedException e) {
      Difference.unless(model.isPerhapsTrimmed(), "refused though the message is there: %s", e);
      return;
    }
    missing.await(missed);
    model.subscription.resetAll(message);
  }

  private void expireMessages(int topic, int place) throws Exception {
    TopicModel model = oracle.topics.get(topic);
    if (!exists(topic) || model.end() == 0) {
      return;
    }
    Published last = model.messages.get(Math.min(model.at(place), model.end() - 1));
    Missing missing = observations.get(topic).missing("ttl");
    try {
      admin
          .topics()
          .expireMessages(
              topics.get(topic), name(topic), entryId(model, last.firstOfEntry()), false);
    } catch (PulsarAdminException.ConflictException e) {
      return; // The subscription has almost caught up, in the broker's opinion.
    }
    // The broker answers before it is done: what comes next would be undone.
    MessageIdAdv target = (MessageIdAdv) last.id();
    observations.get(topic).awaitPosition(target);
    missing.await(Missed.byMove(model.subscription, last.endOfEntry(), last.endOfEntry()));
    model.subscription.moveOn(0, last.endOfEntry());
  }

  private static MessageId entryId(TopicModel topic, int message) {
    MessageIdAdv id = (MessageIdAdv) topic.messages.get(message).id();
    return new MessageIdImpl(id.getLedgerId(), id.getEntryId(), id.getPartitionIndex());
  }

  private SubscriptionModel subscription(int topic) {
    return oracle.topics.get(topic).subscription;
  }

  private static String name(int topic) {
    return Clients.subscription(topic);
  }

  // The end

  /** Has everybody return and receive everything; then nothing is left. */
  private void finish() throws Exception {
    for (int topic = 0; topic < topics.size(); topic++) {
      endTransaction(topic, false);
      if (subscription(topic).exists()) {
        finish(topic);
      }
    }
  }

  private void finish(int topic) throws Exception {
    SubscriptionModel subscription = subscription(topic);
    drain(topic);
    List<Consumer<String>> returned = new ArrayList<>();
    for (String name : List.copyOf(subscription.leftBehind().keySet())) {
      while (subscription.leftBehind().containsKey(name)) {
        Operation.Subscribe subscribe =
            new Operation.Subscribe(0, topic, name, true, true, false, 100);
        Consumer<String> consumer = clients.broadcast(subscribe, topics.get(topic)).subscribe();
        returned.add(consumer);
        consumers.put(subscription.connect(0, topic, name, true, true, false), consumer);
      }
    }
    if (subscription.isPlain() && subscription.sessions().isEmpty()) {
      consumers.put(
          subscription.connectPlain(0, topic, true, false),
          clients.plain(0, topics.get(topic), topic).subscribe());
    }
    if (!oracle.topics.get(topic).terminated) {
      publish(new Operation.Publish(topic, 1));
    }
    drain(topic);
    if (subscription.isBroadcast()) {
      observations.get(topic).awaitWaiting(0);
      boolean exact =
          subscription.sessions().stream()
              .allMatch(session -> !session.durable || session.position.isExact());
      if (exact && subscription.sessions().stream().anyMatch(session -> session.durable)) {
        observations.get(topic).awaitNoBacklog();
      }
    }
  }

  /** Has everybody who is connected receive and acknowledge what must come. */
  private void drain(int topic) throws Exception {
    for (Session session : subscription(topic).sessions()) {
      receive(session, Integer.MAX_VALUE);
      if (session.ordered && !oracle.inHand(session).isEmpty()) {
        acknowledge(session, oracle.inHand(session).size() - 1, true);
      }
      while (!oracle.inHand(session).isEmpty()) {
        acknowledge(session, 0, false);
      }
    }
  }

  @Override
  public void close() throws Exception {
    // Before their topics go: a stock client that closes a consumer or producer while it connects
    // closes the connection, which the next sequence has too.
    CompletableFuture.allOf(
            consumers.values().stream()
                .map(Consumer::closeAsync)
                .toArray(CompletableFuture<?>[]::new))
        .exceptionally(e -> null)
        .completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS)
        .join();
    for (int topic = 0; topic < topics.size(); topic++) {
      try {
        closeProducer(topic);
      } catch (Exception | Difference e) {
        // Its topic is nobody's any more, and the next sequence has topics of its own.
      }
      admin.topics().deleteAsync(topics.get(topic), true);
    }
  }
}
