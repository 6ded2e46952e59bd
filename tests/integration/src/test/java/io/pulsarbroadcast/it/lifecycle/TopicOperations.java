/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.List;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.impl.ConsumerImpl;

/** What happens to connections and whole topics. For one thread. */
final class TopicOperations {

  private final TestBed bed;
  private final PublishOperations publishing;

  /** By topic: how many entries of former truncations the broker may count later, or not at all. */
  private final long[] late;

  TopicOperations(TestBed bed, PublishOperations publishing) {
    this.bed = bed;
    this.publishing = publishing;
    this.late = new long[bed.topics()];
  }

  void apply(Operation.OfTopic operation) throws Exception {
    if (operation instanceof Operation.LoseConnection lose) {
      loseConnection(lose.half());
    } else if (operation instanceof Operation.Unload unload) {
      unload(unload.topic());
    } else if (operation instanceof Operation.Delete delete) {
      delete(delete.topic(), delete.unloaded());
    } else if (operation instanceof Operation.Truncate truncate) {
      truncate(truncate.topic());
    } else if (operation instanceof Operation.Terminate terminate) {
      terminate(terminate.topic());
    } else {
      throw new IllegalArgumentException(operation.toString());
    }
  }

  private void loseConnection(int half) throws Exception {
    List<Session> lost =
        bed.sessions().stream().filter(session -> session.slot % 2 == half).toList();
    if (lost.isEmpty()) {
      return;
    }
    bed.reconnecting(
        lost,
        () -> ((ConsumerImpl<String>) bed.consumer(lost.get(0))).getClientCnx().ctx().close());
    for (int topic = 0; topic < bed.topics(); topic++) {
      int number = topic;
      bed.subscription(topic)
          .reconnected(lost.stream().filter(session -> session.topic == number).toList(), false);
    }
  }

  private void unload(int topic) throws Exception {
    SubscriptionModel subscription = bed.subscription(topic);
    bed.reconnecting(subscription.sessions(), () -> bed.admin.topics().unload(bed.topic(topic)));
    bed.model(topic).loaded();
    subscription.reconnected(subscription.sessions(), true);
  }

  private void delete(int topic, boolean unloaded) throws Exception {
    TopicModel model = bed.model(topic);
    if (model.terminated && model.isPerhapsTrimmed()) {
      // Stock Pulsar does not delete a terminated topic of which nothing is left on storage.
      return;
    }
    for (Session session : bed.subscription(topic).sessions()) {
      bed.gone(session).close();
    }
    publishing.endTransaction(topic, false);
    bed.closeProducer(topic);
    if (unloaded) {
      bed.admin.topics().unload(bed.topic(topic));
    }
    delete(bed.topic(topic));
    model.deleted();
    bed.create(bed.topic(topic));
  }

  private void delete(String topic) throws PulsarAdminException {
    if (tryToDelete(topic)) {
      return;
    }
    if (!tryToDelete(topic)) {
      // Of a topic that is loaded, stock Pulsar may go on failing (apache/pulsar#25073).
      bed.admin.topics().unload(topic);
      bed.admin.topics().delete(topic);
    }
  }

  private boolean tryToDelete(String topic) throws PulsarAdminException {
    try {
      bed.admin.topics().delete(topic);
      return true;
    } catch (PulsarAdminException.ServerSideErrorException e) {
      // Stock Pulsar does not find the cursor of the transaction buffer that has just recovered.
      Difference.unless(
          String.valueOf(e.getMessage()).contains("not found: transaction-buffer-sub"),
          "not deleted: %s",
          e);
      return false;
    }
  }

  private void truncate(int topic) throws Exception {
    TopicModel model = bed.model(topic);
    Observation.Missing missing = bed.observation(topic).missing("quota");
    bed.admin.topics().truncate(bed.topic(topic));
    if (model.subscription.exists()) {
      Missed missed =
          Missed.byMove(model.subscription, model.end(), model.end()).orMore(late[topic]);
      long counted = missing.await(missed);
      if (model.subscription.isBroadcast()) {
        late[topic] = missed.most() - counted;
      }
      model.subscription.moveOn(0, model.end());
    }
    model.truncated();
  }

  private void terminate(int topic) throws Exception {
    TopicModel model = bed.model(topic);
    // Of a terminated topic without a message stock Pulsar does not open new subscriptions.
    if (!model.terminated && model.open.isEmpty() && model.end() > 0) {
      // A producer that is cut off from a terminated topic does not come back.
      bed.closeProducer(topic);
      bed.admin.topics().terminateTopic(bed.topic(topic));
      model.terminated = true;
    }
  }
}
