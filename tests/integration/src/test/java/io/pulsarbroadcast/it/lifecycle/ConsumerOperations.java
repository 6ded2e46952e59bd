/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.lifecycle.Observation.Missing;
import io.pulsarbroadcast.it.lifecycle.TopicModel.Published;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.transaction.Transaction;

/** What a connected consumer does. For one thread. */
final class ConsumerOperations {

  private final TestBed bed;

  ConsumerOperations(TestBed bed) {
    this.bed = bed;
  }

  void apply(Operation.OfConsumer operation) throws Exception {
    Session session = bed.oracle.session(operation.slot());
    if (session == null) {
      return;
    }
    if (operation instanceof Operation.Receive receive) {
      receive(session, receive.count());
    } else if (operation instanceof Operation.Acknowledge ack) {
      acknowledge(session, ack.pick(), false);
    } else if (operation instanceof Operation.AcknowledgeCumulative ack) {
      acknowledge(session, ack.pick(), true);
    } else if (operation instanceof Operation.AcknowledgeInTransaction ack) {
      acknowledgeInTransaction(session, ack.pick());
    } else if (operation instanceof Operation.NegativelyAcknowledge nack) {
      negativelyAcknowledge(session, nack.pick());
    } else if (operation instanceof Operation.Seek seek) {
      seek(session, seek.place(), seek.byTime());
    } else if (operation instanceof Operation.Close) {
      close(session);
    } else if (operation instanceof Operation.Unsubscribe) {
      unsubscribe(session);
    } else {
      throw new IllegalArgumentException(operation.toString());
    }
  }

  /** Receives and acknowledges everything that must come. */
  void drain(Session session) throws Exception {
    receive(session, Integer.MAX_VALUE);
    if (session.ordered && !bed.oracle.inHand(session).isEmpty()) {
      acknowledge(session, bed.oracle.inHand(session).size() - 1, true);
    }
    while (!bed.oracle.inHand(session).isEmpty()) {
      acknowledge(session, 0, false);
    }
  }

  private void receive(Session session, int count) throws Exception {
    Oracle oracle = bed.oracle;
    int left = Math.min(count, oracle.pending(session));
    while (left > 0 && oracle.pending(session) > 0) {
      int before = oracle.pending(session);
      Message<String> message =
          bed.consumer(session).receive((int) bed.patienceMillis, TimeUnit.MILLISECONDS);
      if (message == null) {
        throw new Difference(bed.missing(session));
      }
      oracle.received(session, message, bed.isDisturbed(session));
      left -= before - oracle.pending(session);
    }
  }

  private void acknowledge(Session session, int pick, boolean cumulative) throws Exception {
    Published entry = pick(session, pick);
    if (entry == null || (cumulative && !session.ordered)) {
      return;
    }
    Consumer<String> consumer = bed.consumer(session);
    if (cumulative) {
      consumer.acknowledgeCumulative(session.deliveries.get(entry.endOfEntry() - 1));
    } else {
      for (Message<String> message : messagesOf(session, entry)) {
        consumer.acknowledge(message);
      }
    }
    bed.oracle.acknowledged(session, entry, cumulative);
  }

  private void acknowledgeInTransaction(Session session, int pick) throws Exception {
    Published entry = pick(session, pick);
    if (entry == null || !session.broadcast) {
      return;
    }
    Transaction transaction = bed.clients.client(0).newTransaction().build().get();
    try {
      bed.consumer(session)
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
    if (entry == null) {
      return;
    }
    Consumer<String> consumer = bed.consumer(session);
    if (session.ordered) {
      // What the client makes of it, but at once: if that met a new connection's subscribe, it
      // would
      // take all that is sent to it for older.
      consumer.redeliverUnacknowledgedMessages();
    } else {
      messagesOf(session, entry).forEach(consumer::negativeAcknowledge);
    }
    bed.oracle.negativelyAcknowledged(session, entry);
  }

  private Published pick(Session session, int pick) {
    List<Published> inHand = bed.oracle.inHand(session);
    return inHand.isEmpty() ? null : inHand.get(pick % inHand.size());
  }

  private static List<Message<String>> messagesOf(Session session, Published entry) {
    return IntStream.range(entry.firstOfEntry(), entry.endOfEntry())
        .mapToObj(session.deliveries::get)
        .toList();
  }

  private void seek(Session session, int place, boolean byTime) throws Exception {
    TopicModel topic = bed.oracle.topicOf(session);
    if (byTime && !topic.isTimeFound()) {
      return;
    }
    int message = byTime ? topic.publishAt(place) : topic.at(place);
    Consumer<String> consumer = bed.consumer(session);
    if (byTime) {
      consumer.seek(topic.beganMillis(message));
    } else {
      consumer.seek(message == topic.end() ? MessageId.latest : topic.messages.get(message).id());
    }
    bed.awaitConnected(session);
    topic.subscription.seek(session, message);
  }

  private void close(Session session) throws Exception {
    SubscriptionModel subscription = bed.oracle.topicOf(session).subscription;
    Observation observation = bed.observation(session.topic);
    Missing missing = session.isBrief() ? observation.missing("position_expiry") : null;
    bed.gone(session).close();
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

  void unsubscribe(Session session) throws Exception {
    Consumer<String> consumer = bed.gone(session);
    consumer.unsubscribe();
    consumer.close();
    SubscriptionModel subscription = bed.oracle.topicOf(session).subscription;
    subscription.unsubscribe(session);
    if (!subscription.exists()) {
      bed.observation(session.topic).awaitAbsent();
    }
  }
}
