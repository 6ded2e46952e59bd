/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.lifecycle.Observation.Missing;
import io.pulsarbroadcast.it.lifecycle.TopicModel.Published;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.impl.MessageIdImpl;

/** What an operator does to subscriptions, and what they then count as missed. For one thread. */
final class AdminOperations {

  /** Pulsar expires by whole seconds. */
  private static final long OLD_MILLIS = 1_000;

  private final TestBed bed;

  AdminOperations(TestBed bed) {
    this.bed = bed;
  }

  void apply(Operation.OfOperator operation) throws Exception {
    int topic = operation.topic();
    if (operation instanceof Operation.CreateSubscription create) {
      createSubscription(create);
    } else if (!bed.subscription(topic).exists()) {
      return;
    } else if (operation instanceof Operation.DeleteSubscription) {
      deleteSubscription(topic);
    } else if (operation instanceof Operation.Skip skip) {
      skip(topic, skip.entries());
    } else if (operation instanceof Operation.ClearBacklog) {
      clearBacklog(topic);
    } else if (operation instanceof Operation.ResetCursor reset) {
      resetCursor(topic, reset.place(), reset.byTime());
    } else if (operation instanceof Operation.ExpireMessages expire) {
      expireMessages(topic, expire.byTime() ? 1000 : expire.place(), expire.byTime());
    } else {
      throw new IllegalArgumentException(operation.toString());
    }
  }

  private void createSubscription(Operation.CreateSubscription create) throws Exception {
    SubscriptionModel subscription = bed.subscription(create.topic());
    if (subscription.exists()) {
      return;
    }
    bed.admin
        .topics()
        .createSubscription(
            bed.topic(create.topic()),
            bed.subscriptionName(create.topic()),
            create.earliest() ? MessageId.earliest : MessageId.latest,
            false,
            create.broadcast() ? Map.of("pulsar.subscription.type", "Broadcast") : Map.of());
    subscription.create(create.broadcast(), create.earliest());
  }

  private void deleteSubscription(int topic) throws Exception {
    SubscriptionModel subscription = bed.subscription(topic);
    try {
      bed.admin.topics().deleteSubscription(bed.topic(topic), bed.subscriptionName(topic));
    } catch (PulsarAdminException.PreconditionFailedException e) {
      Difference.unless(!subscription.sessions().isEmpty(), "refused though nobody uses it: %s", e);
      return;
    }
    Difference.unless(subscription.sessions().isEmpty(), "deleted though it is in use");
    subscription.deleted();
  }

  private void skip(int topic, int entries) throws Exception {
    if (bed.model(topic).loadedTerminated) {
      // Stock Pulsar then finds no entries to skip, and says that it has skipped them.
      return;
    }
    SubscriptionModel subscription = bed.subscription(topic);
    Missed missed = Missed.bySkip(subscription, entries);
    Missing missing = bed.observation(topic).missing("skip");
    bed.admin.topics().skipMessages(bed.topic(topic), bed.subscriptionName(topic), entries);
    missing.await(missed);
    subscription.skip(entries);
  }

  private void clearBacklog(int topic) throws Exception {
    SubscriptionModel subscription = bed.subscription(topic);
    int end = bed.model(topic).end();
    Missing missing = bed.observation(topic).missing("clear");
    bed.admin.topics().skipAllMessages(bed.topic(topic), bed.subscriptionName(topic));
    missing.await(Missed.byMove(subscription, end, end));
    subscription.moveOn(end, end);
  }

  private void resetCursor(int topic, int place, boolean byTime) throws Exception {
    TopicModel model = bed.model(topic);
    if (model.end() == 0 || (byTime && !model.isTimeFound())) {
      return;
    }
    int message =
        byTime
            ? model.publishAt(place)
            : Math.min(model.at(place), model.messages.get(model.end() - 1).firstOfEntry());
    Missed missed =
        Missed.byReset(
            model.subscription, message, model.isPerhapsTrimmed() ? model.end() : message);
    Missing missing = bed.observation(topic).missing("reset");
    try {
      bed.reconnecting(
          model.subscription.sessions(),
          () -> {
            if (byTime) {
              bed.admin
                  .topics()
                  .resetCursor(
                      bed.topic(topic), bed.subscriptionName(topic), model.beganMillis(message));
            } else {
              bed.admin
                  .topics()
                  .resetCursor(
                      bed.topic(topic),
                      bed.subscriptionName(topic),
                      entryId(model, message),
                      false);
            }
          });
    } catch (PulsarAdminException.PreconditionFailedException e) {
      Difference.unless(model.isPerhapsTrimmed(), "refused though the message is there: %s", e);
      return;
    }
    missing.await(missed);
    model.subscription.resetAll(message);
  }

  private void expireMessages(int topic, int place, boolean byTime) throws Exception {
    TopicModel model = bed.model(topic);
    int message = Math.min(model.at(place), model.end() - 1);
    if (message < 0 || model.isTrimmed(message) || (model.loadedTerminated && !byTime)) {
      // Stock Pulsar does not find a message that is gone, nor one by its id in a topic that is
      // loaded after its end, and moves nothing.
      return;
    }
    if (model.subscription.isPlain()) {
      // On its own types it may stop earlier, if messages are acknowledged while it looks.
      return;
    }
    Published last = model.messages.get(message);
    Missing missing = bed.observation(topic).missing("ttl");
    try {
      if (byTime) {
        long seconds = TimeUnit.MILLISECONDS.toSeconds(OLD_MILLIS);
        bed.observation(topic).await(() -> model.isOlderThan(OLD_MILLIS), "messages to be old");
        bed.admin.topics().expireMessages(bed.topic(topic), bed.subscriptionName(topic), seconds);
      } else {
        bed.admin
            .topics()
            .expireMessages(
                bed.topic(topic),
                bed.subscriptionName(topic),
                entryId(model, last.firstOfEntry()),
                false);
      }
    } catch (PulsarAdminException.ConflictException e) {
      return; // The subscription has almost caught up, in the broker's opinion.
    }
    // The broker answers before it is done: what comes next would be undone.
    bed.observation(topic).awaitPosition((MessageIdAdv) last.id());
    missing.await(Missed.byMove(model.subscription, last.endOfEntry(), last.endOfEntry()));
    model.subscription.moveOn(0, last.endOfEntry());
  }

  private static MessageId entryId(TopicModel topic, int message) {
    MessageIdAdv id = (MessageIdAdv) topic.messages.get(message).id();
    return new MessageIdImpl(id.getLedgerId(), id.getEntryId(), id.getPartitionIndex());
  }
}
