/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.util.Codec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * I1 and I4 on a shadow topic (PIP-180), which serves more consumers of a topic elsewhere. On a
 * broker of its own, because stock Pulsar's shadow replicator does not release what it sends.
 */
@Order(2)
class ShadowTopicProcessIT {

  private static Broker broker;
  private static ShadowTopics shadows;

  @BeforeAll
  static void startBroker() {
    shadows = ShadowTopics.start();
    broker = shadows.broker();
  }

  @AfterAll
  static void stopBroker() throws IOException {
    broker.close();
  }

  @Test
  void shouldGiveConsumersOfAShadowTopicWhatIsPublishedToItsSource() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    try (Consumer<String> atSource = shadows.atOnce(source, "source").subscribe();
        Consumer<String> a = shadows.atOnce(shadow, "a").subscribe();
        Consumer<String> b = shadows.atOnce(shadow, "b").subscribe();
        Consumer<String> plain = plain(shadow).subscribe()) {
      // One ledger after the other: where they follow fast, a shadow topic may be loaded again.
      for (int next = 0; next < 12; next += 4) {
        publish(broker, source, next, next + 4);
        assertThat(receiveAndAck(a, 4)).isEqualTo(values(next, next + 4));
      }
      assertThat(receiveAndAck(atSource, 12)).isEqualTo(values(0, 12));
      assertThat(receiveAndAck(b, 4)).isEqualTo(values(0, 4));

      broker.admin().topics().unload(shadow);
      MessageIdImpl last = (MessageIdImpl) publish(broker, source, 12, 14).get(1);
      assertThat(receiveAndAck(a, 2)).isEqualTo(values(12, 14));
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(4, 14));
      assertNothingMore(a);
      assertNothingMore(b);
      assertThat(receiveAndAck(plain, 14)).isEqualTo(values(0, 14));
      await()
          .untilAsserted(
              () -> {
                assertThat(Subscriptions.cursor(broker, shadow, "all").markDeletePosition)
                    .isEqualTo(last.getLedgerId() + ":" + last.getEntryId());
                // Counted from the position. The broker's running count, shown of plain
                // subscriptions, may be off on a shadow topic that was loaded again.
                assertThat(stats(broker, shadow, "all").getMsgBacklog()).isZero();
              });
    }
  }

  /** I7: of several on one broker, Pulsar tells only one of its source's new ledgers. */
  @Test
  void shouldTellEachOfSeveralShadowTopicsOfNewLedgers() throws Exception {
    String source = Broker.newTopic();
    List<String> both = List.of(source + "-1", source + "-2");
    shadows.of(source, both);
    try (Consumer<String> first = shadows.atOnce(both.get(0), "a").subscribe();
        Consumer<String> second = shadows.atOnce(both.get(1), "a").subscribe()) {
      for (int i = 0; i < 12; i++) {
        publish(broker, source, i, i + 1);
        assertThat(receiveAndAck(first, 1)).isEqualTo(values(i, i + 1));
        assertThat(receiveAndAck(second, 1)).isEqualTo(values(i, i + 1));
      }
      assertThat(
              List.of(first.getLastDisconnectedTimestamp(), second.getLastDisconnectedTimestamp()))
          .as("without being loaded again")
          .containsOnly(0L);
    }
  }

  /** I3: what a consumer of the shadow topic needs is held where trimming is decided. */
  @Test
  void shouldKeepAtTheSourceWhatAConsumerOfTheShadowHasNotHad() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    try (Consumer<String> atSource = shadows.atOnce(source, "a").subscribe();
        Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      shadows.atOnce(shadow, "away").subscribe().close();
      List<MessageId> ids = shadows.publishOneByOne(source, here);
      assertThat(receiveAndAck(atSource, 12)).isEqualTo(values(0, 12));

      broker.admin().topics().unload(shadow);
      awaitMarkDelete(source, "all", ids.get(11));
      broker.admin().topics().trimTopic(source);
      assertThat(firstLedger(source)).isEqualTo(ledgerOf(ids.get(0)));

      try (Consumer<String> away = shadows.atOnce(shadow, "away").subscribe()) {
        // Of what the source was sent before the shadow topic was loaded, it sees the last message
        // with the next.
        ids.addAll(publish(broker, source, 12, 13));
        assertThat(receiveAndAck(away, 13)).isEqualTo(values(0, 13));
        assertThat(receiveAndAck(here, 1)).isEqualTo(values(12, 13));
        TrimmedIT.trim(broker, source, ids.get(12));
        assertThat(TrimmedIT.missed(broker, shadow)).isZero();
      }
    }
  }

  /**
   * I3: who deletes it by mistake, or because a shadow topic of that name was there before, loses
   * nothing that is still stored.
   */
  @Test
  void shouldHoldAgainWhatIsLeftWhenSomebodyDeletesWhatHolds() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    // For whom the source keeps everything meanwhile.
    shadows.atOnce(source, "a").subscribe().close();
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      shadows.atOnce(shadow, "away").subscribe().close();
      List<MessageId> ids = shadows.publishOneByOne(source, here);

      broker.admin().topics().deleteSubscription(source, ShadowTopics.holdOf(shadow), true);
      await()
          .untilAsserted(
              () ->
                  assertThat(broker.admin().topics().getSubscriptions(source))
                      .contains(ShadowTopics.holdOf(shadow)));
      assertThat(markDelete(source, ShadowTopics.holdOf(shadow))).isLessThan(entryOf(ids.get(0)));
      try (Consumer<String> away = shadows.atOnce(shadow, "away").subscribe()) {
        assertThat(receiveAndAck(away, 12)).isEqualTo(values(0, 12));
        publish(broker, source, 12, 13);
        assertThat(receiveAndAck(away, 1)).isEqualTo(values(12, 13));
        assertThat(receiveAndAck(here, 1)).isEqualTo(values(12, 13));
      }
      awaitMarkDelete(
          source, ShadowTopics.holdOf(shadow), broker.admin().topics().getLastMessageId(source));
    }
  }

  /** I3: to where it was, though nothing moves, and clients may not make subscriptions. */
  @Test
  void shouldMakeAgainWhatHoldsTheSourceWhereItWas() throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    String source = OperatedBroker.topicIn(namespace);
    String shadow = shadows.of(source);
    String hold = ShadowTopics.holdOf(shadow);
    shadows.atOnce(source, "a").subscribe().close();
    shadows.atOnce(shadow, "away").subscribe().close();
    broker.leaveSubscriptionsToOperators(namespace);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      List<MessageId> ids = shadows.publishOneByOne(source, here);
      try (Consumer<String> away = shadows.atOnce(shadow, "away").subscribe()) {
        assertThat(receiveAndAck(away, 6)).isEqualTo(values(0, 6));
      }
      awaitMarkDelete(source, hold, ids.get(5));

      broker.admin().topics().deleteSubscription(source, hold, true);
      await()
          .untilAsserted(
              () -> {
                assertThat(broker.admin().topics().getSubscriptions(source)).contains(hold);
                assertThat(markDelete(source, hold))
                    .isBetween(entryOf(ids.get(4)), entryOf(ids.get(5)));
              });
      try (Consumer<String> away = shadows.atOnce(shadow, "away").subscribe()) {
        assertThat(receiveAndAck(away, 6)).isEqualTo(values(6, 12));
      }
    }
  }

  /** A source that is gone stays so; its shadow topic would make it again otherwise. */
  @Test
  void shouldNotMakeAgainASourceThatIsDeletedByForce() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    String hold = ShadowTopics.holdOf(shadow);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      assertThat(broker.admin().topics().getSubscriptions(source)).containsExactly(hold);
      broker.admin().topics().delete(source, true);
      await()
          .during(Duration.ofSeconds(5))
          .untilAsserted(
              () ->
                  assertThat(broker.admin().topics().getList("public/default"))
                      .doesNotContain(source));
    }
  }

  /** I6. */
  @Test
  void shouldCountWhatTheSourceTrimmedBeforeAConsumerOfTheShadowHadIt() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    try (Consumer<String> atSource = broker.broadcast(source, "all", "a").subscribe();
        Consumer<String> atShadow = broker.broadcast(shadow, "all", "here").subscribe()) {
      broker.broadcast(shadow, "all", "away").subscribe().close();
      List<MessageId> ids = shadows.publishOneByOne(source, atShadow);
      assertThat(receiveAndAck(atSource, 12)).isEqualTo(values(0, 12));

      // An operator does not want the source to keep it. The shadow topic follows by itself.
      broker.admin().topics().skipAllMessages(source, ShadowTopics.holdOf(shadow));
      TrimmedIT.trim(broker, source, ids.get(10));
      await()
          .atMost(TrimmedIT.TRIMMED)
          .untilAsserted(() -> assertThat(TrimmedIT.missed(broker, shadow)).isEqualTo(10));
      try (Consumer<String> away = broker.broadcast(shadow, "all", "away").subscribe()) {
        assertThat(receiveAndAck(away, 2)).isEqualTo(values(10, 12));
      }
      assertThat(TrimmedIT.missed(broker, shadow)).as("counted once").isEqualTo(10);
    }
  }

  /** I3. */
  @Test
  void shouldHoldTheSourceBeforeAConsumerOfTheShadowGoesBack() throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setRetention(namespace, new RetentionPolicies(10, 10));
    String source = OperatedBroker.topicIn(namespace);
    String shadow = shadows.of(source);
    // Else the client drops what it sought, and asks for nothing in its place.
    try (Consumer<String> here =
        shadows.atOnce(shadow, "here").startMessageIdInclusive().subscribe()) {
      List<MessageId> ids = shadows.publishOneByOne(source, here);
      awaitMarkDelete(source, ShadowTopics.holdOf(shadow), ids.get(11));

      here.seek(ids.get(2));
      assertThat(markDelete(source, ShadowTopics.holdOf(shadow)))
          .as("already when the seek is answered")
          .isLessThan(entryOf(ids.get(2)));
      assertThat(receiveAndAck(here, 10)).isEqualTo(values(2, 12));
      awaitMarkDelete(source, ShadowTopics.holdOf(shadow), ids.get(11));

      broker.admin().topics().resetCursor(shadow, "all", ids.get(4));
      assertThat(markDelete(source, ShadowTopics.holdOf(shadow)))
          .as("already when the reset is answered")
          .isLessThan(entryOf(ids.get(4)));
      assertThat(receiveAndAck(here, 8)).isEqualTo(values(4, 12));

      awaitMarkDelete(source, ShadowTopics.holdOf(shadow), ids.get(11));
      broker.admin().topics().resetCursor(shadow, "all", 0);
      assertThat(markDelete(source, ShadowTopics.holdOf(shadow)))
          .as("by time")
          .isLessThan(entryOf(ids.get(0)));
      assertThat(receiveAndAck(here, 12)).isEqualTo(values(0, 12));

      // Somebody new begins where nobody else is any more.
      awaitMarkDelete(source, ShadowTopics.holdOf(shadow), ids.get(11));
      try (Consumer<String> second =
          shadows
              .atOnce(shadow, "second")
              .subscriptionName("second")
              .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
              .subscribe()) {
        assertThat(markDelete(source, ShadowTopics.holdOf(shadow))).isLessThan(entryOf(ids.get(0)));
        assertThat(receiveAndAck(second, 12)).isEqualTo(values(0, 12));
      }
    }
  }

  @Test
  void shouldHoldNothingAtTheSourceAfterTheLastBroadcastSubscription() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    try (Consumer<String> second =
        shadows.atOnce(shadow, "a").subscriptionName("second").subscribe()) {
      try (Consumer<String> first = shadows.atOnce(shadow, "a").subscribe()) {
        first.unsubscribe();
      }
      assertThat(broker.admin().topics().getSubscriptions(source))
          .contains(ShadowTopics.holdOf(shadow));
      second.unsubscribe();
    }
    assertThat(broker.admin().topics().getSubscriptions(source)).isEmpty();

    shadows.atOnce(shadow, "a").subscribe().close();
    assertThat(broker.admin().topics().getSubscriptions(source))
        .contains(ShadowTopics.holdOf(shadow));
    broker.admin().topics().unload(shadow);
    broker.admin().topics().delete(shadow);
    await()
        .untilAsserted(
            () -> assertThat(broker.admin().topics().getSubscriptions(source)).isEmpty());
  }

  /** I1 at the source: Pulsar would delete what its consumers have not had. */
  @Test
  void shouldRefuseAShadowTopicThatDeletesWhatItsSourceNeeds() throws Exception {
    String source = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(source);
    String shadow = source + "-shadow";
    broker.admin().topics().createShadowTopic(shadow, source);
    assertThatThrownBy(() -> shadows.atOnce(shadow, "a").subscribe())
        .hasMessageContaining("set-retention " + shadow)
        .hasMessageContaining(source);
    assertThat(broker.admin().topics().getSubscriptions(source)).isEmpty();
    assertThat(broker.admin().topics().getSubscriptions(shadow)).isEmpty();
    shadows.retainAll(shadow);
    shadows.atOnce(shadow, "a").subscribe().close();
  }

  /** I1 at the source. */
  @Test
  void shouldDeleteNothingOfTheSourceWithAShadowTopic() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    shadows.atOnce(source, "away").subscribe().close();
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      shadows.publishOneByOne(source, here);
      // When it is loaded it writes down which ledgers its source has.
      broker.admin().topics().unload(shadow);
      awaitConnected(broker, here);
      assertThatThrownBy(() -> broker.admin().topics().truncate(shadow))
          .isInstanceOf(PulsarAdminException.class);
      assertThatThrownBy(() -> broker.admin().topics().delete(shadow))
          .as("in use")
          .isInstanceOf(PulsarAdminException.class);
    }
    broker.admin().topics().removeShadowTopics(source);
    broker.admin().topics().delete(shadow, true);
    assertDeleted(shadow);
    broker.admin().topics().unload(source);
    try (Consumer<String> away = shadows.atOnce(source, "away").subscribe()) {
      assertThat(receiveAndAck(away, 12)).isEqualTo(values(0, 12));
    }
  }

  /** Where consumers may not make subscriptions. */
  @Test
  void shouldHoldForADeclaredSubscription() throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    String source = OperatedBroker.topicIn(namespace);
    String shadow = shadows.of(source, source + "~shadow");
    broker.leaveSubscriptionsToOperators(namespace);
    broker
        .admin()
        .topics()
        .createSubscription(
            shadow,
            "all",
            MessageId.latest,
            false,
            Map.of("pulsar.subscription.type", "Broadcast"));
    try (Consumer<String> declared =
        plain(shadow).subscriptionName("all").consumerName("a").subscribe()) {
      assertThat(broker.admin().topics().getSubscriptions(source))
          .containsExactly(ShadowTopics.holdOf(shadow));
      publish(broker, source, 0, 1);
      assertThat(receiveAndAck(declared, 1)).isEqualTo(values(0, 1));
      declared.unsubscribe();
    }
    assertThat(broker.admin().topics().getSubscriptions(source)).isEmpty();
  }

  @Test
  void shouldNotLeaveAHoldOfNobodyAtTheSource() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    try (Consumer<String> plain = plain(shadow).subscribe()) {
      // As after a crash in a subscribe, or a broker without the plugin.
      broker
          .admin()
          .topics()
          .createSubscription(source, ShadowTopics.holdOf(shadow), MessageId.earliest);
      broker.admin().topics().unload(shadow);
      await()
          .untilAsserted(
              () -> assertThat(broker.admin().topics().getSubscriptions(source)).isEmpty());
      publish(broker, source, 0, 1);
      assertThat(receiveAndAck(plain, 1)).isEqualTo(values(0, 1));
    }
  }

  @Test
  void shouldRefuseWhereTheSourceCannotHold() throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    String source = OperatedBroker.topicIn(namespace);
    String shadow = shadows.of(source);
    broker.admin().topics().createSubscription(source, "own", MessageId.latest);
    broker.admin().namespaces().setMaxSubscriptionsPerTopic(namespace, 1);
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(
                        () ->
                            broker
                                .admin()
                                .topics()
                                .createSubscription(source, "another", MessageId.latest))
                    .isInstanceOf(PulsarAdminException.class));
    try (PulsarClient impatient =
        PulsarClient.builder()
            .serviceUrl(broker.process().serviceUrl())
            .operationTimeout(3, TimeUnit.SECONDS)
            .build()) {
      // Without a schema, which an active topic takes from nobody.
      ConsumerBuilder<byte[]> consumer =
          impatient
              .newConsumer()
              .topic(shadow)
              .subscriptionName("all")
              .consumerName("a")
              .property("pulsar.subscription.type", "Broadcast");
      assertThatThrownBy(consumer::subscribe).hasMessageContaining(source);
      broker.admin().namespaces().removeMaxSubscriptionsPerTopic(namespace);
      await().ignoreExceptions().untilAsserted(() -> consumer.subscribe().close());
      assertThat(broker.admin().topics().getSubscriptions(source))
          .contains(ShadowTopics.holdOf(shadow));
      publish(broker, source, 0, 1);
    }
  }

  /** The replicator may make a plain topic of the name, until it hears that it has none. */
  private static void assertDeleted(String shadow) {
    try {
      assertThat(broker.admin().topics().getSubscriptions(shadow)).isEmpty();
    } catch (PulsarAdminException e) {
      assertThat(e).isInstanceOf(PulsarAdminException.NotFoundException.class);
    }
  }

  private static void awaitMarkDelete(String topic, String subscription, MessageId last) {
    await()
        .untilAsserted(
            () ->
                assertThat(markDelete(topic, subscription)).isGreaterThanOrEqualTo(entryOf(last)));
  }

  private static long markDelete(String topic, String subscription) throws PulsarAdminException {
    String[] position =
        Subscriptions.cursor(broker, topic, Codec.encode(subscription))
            .markDeletePosition
            .split(":");
    return (Long.parseLong(position[0]) << 32) + Long.parseLong(position[1]);
  }

  private static long entryOf(MessageId id) {
    return (ledgerOf(id) << 32) + ((MessageIdImpl) id).getEntryId();
  }

  private static long ledgerOf(MessageId id) {
    return ((MessageIdImpl) id).getLedgerId();
  }

  private static long firstLedger(String topic) throws PulsarAdminException {
    return broker.admin().topics().getInternalStats(topic).ledgers.get(0).ledgerId;
  }

  private static ConsumerBuilder<String> plain(String topic) {
    return broker.client().newConsumer(Schema.STRING).topic(topic).subscriptionName("plain");
  }
}
