/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.PositionsFaults.Declaration;
import io.pulsarbroadcast.it.PositionsFaults.Former;
import io.pulsarbroadcast.it.PositionsFaults.Stale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.policies.data.DispatchRate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** I1 while the storage of positions does not answer: nothing is forgotten, and nothing made up. */
@Order(1)
class PositionsFaultProcessIT {

  @TempDir private static Path folder;
  private static Broker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = PositionsFaults.start(folder);
  }

  @AfterAll
  static void stopBroker() throws Exception {
    broker.close();
  }

  @Test
  void shouldNotLoadATopicWhosePositionsCannotBeReadNow() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe();
        Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      publish(broker, topic, 0, 10);
      car.acknowledgeCumulative(receive(car, 10).get(6));
      slow.acknowledgeCumulative(receive(slow, 10).get(2));
    }
    assertRefusedWhileNoLogOpens(
        topic,
        () -> {
          broker.admin().topics().unload(topic);
          subscribeSoon(topic, "car");
        });
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe();
        Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(7, 10));
      assertThat(receiveAndAck(slow, 7)).isEqualTo(values(3, 10));
      assertNothingMore(car);
      assertNothingMore(slow);
    }
  }

  @Test
  void shouldNotAnswerASubscribeThatCannotBeStored() throws Exception {
    String topic = Broker.newTopic();
    assertRefusedWhileNoLogOpens(topic, () -> subscribeSoon(topic, "car"));
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
    }
  }

  /** A subscribe that is refused changes nothing. */
  @Test
  void shouldLeaveAPlainSubscriptionAsItWasWhenTheBroadcastConsumerIsOneTooMany() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> plain = plain(topic).subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(plain, 4)).isEqualTo(values(0, 4));
    }
    List<Consumer<String>> others = fill(topic);
    assertOneTooMany(broker.broadcast(topic, "all", "a"));
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Exclusive");
    others.get(0).close();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe()) {
      assertThat(receiveAndAck(a, 6)).isEqualTo(values(4, 10));
    }
  }

  /** The same of a plain consumer, whose refusal ends what had begun already. */
  @Test
  void shouldStillLimitTheDispatchRateWhenThePlainConsumerWasOneTooMany() throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    DispatchRate rate =
        DispatchRate.builder()
            .dispatchThrottlingRateInMsg(20)
            .dispatchThrottlingRateInByte(-1)
            .ratePeriodInSecond(1)
            .build();
    broker.admin().namespaces().setSubscriptionDispatchRate(namespace, rate);
    String topic = OperatedBroker.topicIn(namespace);
    leaveNoPosition(topic);
    List<Consumer<String>> others = fill(topic);
    assertOneTooMany(plain(topic));
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
    others.get(0).close();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe()) {
      long start = System.nanoTime();
      publish(broker, topic, 0, 100);
      assertThat(receiveAndAck(a, 100)).isEqualTo(values(0, 100));
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as("100 deliveries at 20 a second, of which the first, and one read more, come at once")
          .isGreaterThan(Duration.ofSeconds(2));
    }
  }

  /** As many consumers as one address may have on a topic. */
  private static List<Consumer<String>> fill(String topic) throws Exception {
    List<Consumer<String>> others = new ArrayList<>();
    for (int i = 0; i < PositionsFaults.MAX_CONSUMERS; i++) {
      others.add(broker.broadcast(topic, "other", "other-" + i).subscribe());
    }
    return others;
  }

  private static void assertOneTooMany(ConsumerBuilder<String> consumer) {
    assertThatThrownBy(consumer::subscribe)
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessageContaining("Topic reached max same address consumers limit");
  }

  /** A subscribe that is refused changes nothing, nor for a consumer that uses transactions. */
  @Test
  void shouldTakeAcknowledgementsInTransactionsWhenItCouldNotBecomeBroadcast() throws Exception {
    String topic = Broker.newTopic();
    plain(topic).subscribe().close();
    publish(broker, topic, 0, 3);
    assertRefusedWhileNoLogOpens(topic, () -> subscribeSoon(topic, "car"));
    try (Consumer<String> plain = plain(topic).subscribe()) {
      Transaction transaction =
          broker
              .client()
              .newTransaction()
              .withTransactionTimeout(1, TimeUnit.MINUTES)
              .build()
              .get();
      plain.acknowledgeAsync(receive(plain, 3).get(0).getMessageId(), transaction).get();
      transaction.commit().get();
      awaitBacklog(broker, topic, "all", 2);
    }
  }

  @Test
  void shouldRefuseAFormatThatItDoesNotKnowAndChangeNothing() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 5);
      car.acknowledgeCumulative(receive(car, 5).get(1));
      awaitBacklog(broker, topic, "all", 3);
      PositionsFaults.in(folder).storeNewerFormat(topic);
    }
    broker.admin().topics().unload(topic);
    publish(broker, topic, 5, 6);
    assertThatThrownBy(() -> broker.broadcast(topic, "all", "car").subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class)
        .hasMessageContaining("version 5 of the positions format; known are 1 to 4");
    assertThatThrownBy(() -> plain(topic).subscribe())
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
    awaitBacklog(broker, topic, "all", 4);
    assertThat(stats(broker, topic, "all").getConsumers()).isEmpty();
  }

  @Test
  void shouldTakeNewNamesAgainAfterAFailedWrite() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(0, 2));
      PositionsFaults.in(folder).failWrite();
      try (Consumer<String> second = broker.broadcast(topic, "all", "second").subscribe()) {
        publish(broker, topic, 5, 6);
        assertThat(receiveAndAck(second, 1)).isEqualTo(values(5, 6));
      }
      broker.admin().topics().unload(topic);
      publish(broker, topic, 6, 7);
      try (Consumer<String> second = broker.broadcast(topic, "all", "second").subscribe()) {
        assertThat(receiveAndAck(second, 1)).as("stored").isEqualTo(values(6, 7));
      }
      awaitConnected(broker, car);
    }
  }

  /** I6: who is told that the seek failed is where it was, and misses nothing. */
  @Test
  void shouldGiveAConsumerEverythingWhoseSeekCouldNotBeStored() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car =
        broker.atOnce(topic, "all", "car").receiverQueueSize(1).subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
      awaitBacklog(broker, topic, "all", 7);
      PositionsFaults faults = PositionsFaults.in(folder);
      faults.failWrites();
      try {
        assertThatThrownBy(() -> car.seek(MessageId.latest))
            .isInstanceOf(PulsarClientException.class)
            .hasMessageContaining("Seek failed");
      } finally {
        faults.takeWrites();
      }
      publish(broker, topic, 10, 12);
      assertThat(receiveUntil(car, "message-11")).containsAll(values(3, 12));
      awaitBacklog(broker, topic, "all", 0);

      car.seek(MessageId.latest);
      publish(broker, topic, 12, 13);
      assertThat(receiveAndAck(car, 1)).isEqualTo(values(12, 13));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** What is refused changes nothing: the consumer goes on where it was. */
  @Test
  void shouldGiveAConsumerEverythingWhoseUnsubscribeCouldNotBeStored() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> other = broker.broadcast(topic, "all", "other").subscribe();
        Consumer<String> car = broker.atOnce(topic, "all", "car").receiverQueueSize(1).subscribe();
        Consumer<String> reader =
            broker
                .broadcast(topic, "all", "reader")
                .subscriptionMode(SubscriptionMode.NonDurable)
                .subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(other, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
      awaitBacklog(broker, topic, "all", 7);
      PositionsFaults faults = PositionsFaults.in(folder);
      faults.failWrites();
      try {
        assertThatThrownBy(car::unsubscribe).isInstanceOf(PulsarClientException.class);
        reader.unsubscribe();
      } finally {
        faults.takeWrites();
      }
      publish(broker, topic, 10, 12);
      assertThat(receiveUntil(car, "message-11")).containsAll(values(3, 12));
      assertThat(receiveAndAck(other, 2)).isEqualTo(values(10, 12));
      awaitBacklog(broker, topic, "all", 0);

      car.unsubscribe();
      publish(broker, topic, 12, 13);
      assertThat(receiveAndAck(other, 1)).isEqualTo(values(12, 13));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** I1: the subscription is there, with its positions, and serves everybody. */
  @Test
  void shouldServeConsumersAgainWhenAForcedDeletionFailed() throws Exception {
    String topic = Broker.newTopic();
    PositionsFaults faults = PositionsFaults.in(folder);
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(0, 2));
      awaitBacklog(broker, topic, "all", 3);
      faults.failNextDeletion();
      assertThatThrownBy(() -> broker.admin().topics().deleteSubscription(topic, "all", true))
          .isInstanceOf(PulsarAdminException.class);
      assertThat(faults.isDeletionToFail()).isFalse();
      awaitConnected(broker, car);
    }
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(2, 5));
      awaitBacklog(broker, topic, "all", 0);
    }
    broker.admin().topics().unload(topic);
    publish(broker, topic, 5, 6);
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 1)).as("stored").isEqualTo(values(5, 6));
    }
    // With nobody connected: a client that is thrown out comes back and makes it again.
    broker.admin().topics().deleteSubscription(topic, "all", true);
    assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty();
    assertThat(faults.logsOf(topic)).isEmpty();
  }

  /** A client tries again; who has a position does not need what cannot be read. */
  @Test
  void shouldRefuseAsNotReadableOnlyWhoseStartIsToBeFound() throws Exception {
    String topic = Broker.newTopic();
    leaveCarAtTwo(topic);
    broker.admin().topics().unload(topic);
    publish(broker, topic, 5, 6);
    PositionsFaults.in(folder).hideFirstLedger(topic);
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      assertThat(raw.subscribeBack(1_000_000, topic, "new", Duration.ofHours(1)))
          .failsWithin(Duration.ofMinutes(1))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(PulsarClientException.BrokerPersistenceException.class)
          .withMessageContaining("Fault: ledger cannot be read");
      assertThat(raw.subscribeBack(1_000_001, topic, "car", Duration.ofHours(1)))
          .succeedsWithin(Duration.ofMinutes(1));
      assertThat(stats(broker, topic, "all").getConsumers())
          .extracting(ConsumerStats::getConsumerName)
          .containsExactly("car");
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 4)).isEqualTo(values(2, 6));
    }
  }

  private static ConsumerBuilder<String> plain(String topic) {
    return broker.client().newConsumer(Schema.STRING).topic(topic).subscriptionName("all");
  }

  @ParameterizedTest
  @EnumSource(Former.class)
  void shouldTakeOverWhatAFormerVersionLeft(Former how) throws Exception {
    String topic = Broker.newTopic();
    leaveFormerLog(topic, "all", how);
    broker.admin().topics().unload(topic);
    // Lost, positions are held where none was before.
    int from = how == Former.DAMAGED ? 0 : 4;
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 10 - from)).as("I1").isEqualTo(values(from, 10));
      assertNothingMore(car);
    }
    assertThat(Subscriptions.stats(broker, topic, "all").getSubscriptionProperties())
        .containsEntry("pulsar.broadcast.positions.lost", how == Former.DAMAGED ? "1" : "0");
    awaitBacklog(broker, topic, "all", how == Former.DAMAGED ? 10 : 0);
  }

  /** Joined with a hyphen both are the same name; a plain subscription never wrote to the log. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotTakeALogForSharedWithAPlainSubscription(boolean loaded) throws Exception {
    String topic = Broker.newTopic();
    String longer = topic + "-x";
    createPlain(longer, "y");
    leaveFormerLog(topic, "x-y", Former.MARKED);
    broker.admin().topics().unload(topic);
    if (!loaded) {
      broker.admin().topics().unload(longer);
    }
    try (Consumer<String> car = broker.broadcast(topic, "x-y", "car").subscribe()) {
      assertThat(receiveAndAck(car, 6)).as("its own").isEqualTo(values(4, 10));
      assertNothingMore(car);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTakeALogForSharedWithAnotherBroadcastSubscription(boolean loaded) throws Exception {
    String topic = Broker.newTopic();
    String longer = topic + "-x";
    createPlain(longer, "y");
    leaveFormerLog(topic, "x-y", Former.MARKED);
    PositionsFaults.in(folder).leaveFormerLog(longer, "y", Former.MARKED, 0);
    broker.admin().topics().unload(topic);
    if (!loaded) {
      broker.admin().topics().unload(longer);
    }
    try (Consumer<String> car = broker.broadcast(topic, "x-y", "car").subscribe()) {
      assertThat(receiveAndAck(car, 10)).as("I1").isEqualTo(values(0, 10));
    }
    assertThat(Subscriptions.stats(broker, topic, "x-y").getSubscriptionProperties())
        .containsEntry("pulsar.broadcast.positions.lost", "1");
  }

  private static void createPlain(String topic, String subscription) throws Exception {
    broker.admin().topics().createNonPartitionedTopic(topic);
    broker.admin().topics().createSubscription(topic, subscription, MessageId.earliest);
  }

  /** A plain subscription with ten messages, of which the log says that "car" had four. */
  private static void leaveFormerLog(String topic, String subscription, Former how)
      throws Exception {
    createPlain(topic, subscription);
    publish(broker, topic, 0, 10);
    PositionsFaults.in(folder).leaveFormerLog(topic, subscription, how, 4);
  }

  /** Nobody is told that it is decided while a crash would find the positions lost again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotAnswerADecisionAboutLostPositionsThatIsNotStored(boolean reset) throws Exception {
    String topic = Broker.newTopic();
    losePositions(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failNext(topic, Declaration.NOT_WRITTEN);
    assertThatThrownBy(() -> decide(topic, reset)).isInstanceOf(PulsarAdminException.class);
    assertThat(faults.isToFail()).isFalse();
    assertLost(topic, 1);
    decide(topic, reset);
    broker.admin().topics().unload(topic);
    assertLost(topic, 0);
  }

  /** The broker writes of the same cursor, on its own, when it begins a ledger. */
  @Test
  void shouldDecideAboutLostPositionsWhenTheBrokerWritesOfTheCursorToo() throws Exception {
    String topic = Broker.newTopic();
    losePositions(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failNext(topic, Declaration.IN_CONFLICT);
    decide(topic, false);
    assertThat(faults.isToFail()).isFalse();
    broker.admin().topics().unload(topic);
    assertLost(topic, 0);
  }

  /** A Broadcast subscription with one log that could not be read, and that is kept. */
  private static void losePositions(String topic) throws Exception {
    leaveFormerLog(topic, "all", Former.DAMAGED);
    broker.admin().topics().unload(topic);
    broker.broadcast(topic, "all", "car").subscribe().close();
  }

  private static void decide(String topic, boolean reset) throws PulsarAdminException {
    if (reset) {
      broker.admin().topics().resetCursor(topic, "all", MessageId.latest);
    } else {
      broker.admin().topics().skipAllMessages(topic, "all");
    }
  }

  private static void assertLost(String topic, int lost) throws Exception {
    broker.admin().lookups().lookupTopic(topic);
    try (Consumer<String> other = broker.broadcast(topic, "all", "other").subscribe()) {
      assertThat(Subscriptions.stats(broker, topic, "all").getSubscriptionProperties())
          .containsEntry("pulsar.broadcast.positions.lost", String.valueOf(lost));
      other.unsubscribe();
    }
  }

  /** The log that the property names is used, however the write of the property was answered. */
  @ParameterizedTest
  @EnumSource(Declaration.class)
  void shouldFindOutWhatBecameOfADeclarationThatFailed(Declaration how) throws Exception {
    String topic = Broker.newTopic();
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failNext(topic, how);
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(faults.isToFail()).as("still to happen").isFalse();
      publish(broker, topic, 0, 5);
      car.acknowledgeCumulative(receive(car, 5).get(1));
      awaitBacklog(broker, topic, "all", 3);
      assertThat(faults.logsOf(topic)).as("logs, of one subscription").hasSize(1);
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 3)).as("I1").isEqualTo(values(2, 5));
      assertNothingMore(car);
    }
  }

  /** The property is strict: what is not understood may be a later version's. */
  @ParameterizedTest
  @ValueSource(strings = {"a/1/b/c", "a/1/b,", "a b/1/", "a/1234567890123456789/", "/1/"})
  void shouldRefuseADeclarationThatItDoesNotUnderstandAndChangeNothing(String value)
      throws Exception {
    String topic = Broker.newTopic();
    leaveCarAtTwo(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    String declared = faults.declared(topic);
    faults.declare(topic, value);
    broker.admin().topics().unload(topic);

    assertThatThrownBy(() -> broker.broadcast(topic, "all", "car").subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class)
        .hasMessageContaining("they are declared in a format that it does not know");
    assertThatThrownBy(() -> plain(topic).subscribe())
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
    // Its log is made after those that nobody declares are gone.
    broker.broadcast(topic, "other", "car").subscribe().close();

    assertThat(faults.declared(topic)).isEqualTo(value);
    faults.declare(topic, declared);
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(topic);
  }

  /** What a crash, or a broker without the plugin, leaves. */
  @Test
  void shouldDeleteALogThatNobodyDeclaresWithTheNextLoad() throws Exception {
    String topic = Broker.newTopic();
    leaveCarAtTwo(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.makeLog(topic, "0");
    assertThat(faults.logsOf(topic)).hasSize(2);

    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(topic);
    await().untilAsserted(() -> assertThat(faults.logsOf(topic)).hasSize(1));
  }

  /** I1: another broker has made and declared it, which this one does not know yet. */
  @ParameterizedTest
  @EnumSource(Stale.class)
  void shouldNotDeleteALogThatAnotherBrokerMayHaveMade(Stale how) throws Exception {
    String topic = Broker.newTopic();
    createPlain(topic, "all");
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.makeLog(topic, "0");
    if (how == Stale.DECLARATION) {
      faults.declare(topic, "0/-1/");
    }
    faults.makeStale(topic, how);
    // Its log is made after those that nobody declares are gone.
    broker.broadcast(topic, "other", "car").subscribe().close();
    assertThat(faults.logsOf(topic)).hasSize(2).contains("all~0");
  }

  /** The broker has stored them while the subscription was Shared. */
  @Test
  void shouldDeleteStoredBucketsOfDelayedMessagesWithTheSubscription() throws Exception {
    String topic = Broker.newTopic();
    createPlain(topic, "all");
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.leaveBucket(topic);
    broker.broadcast(topic, "all", "car").subscribe().close();
    assertThat(faults.isBucketLeft()).isTrue();
    broker.admin().topics().deleteSubscription(topic, "all");
    assertThat(faults.isBucketLeft()).isFalse();
  }

  /** A log that is declared and has no records is damaged. */
  @Test
  void shouldKeepEveryDamagedLogUntilSomebodyDecides() throws Exception {
    String topic = Broker.newTopic();
    leaveCarAtTwo(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.makeLog(topic, "0");
    faults.declare(topic, "0/-1/");
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(topic);
    assertThat(faults.declared(topic)).as("as versions before read it").matches("\\w+/-1/0");

    faults.makeLog(topic, "1");
    faults.declare(topic, "1/-1/0");
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(topic);
    assertThat(faults.declared(topic)).matches("\\w+/-1/0,1");
    broker.admin().topics().unload(topic);
    assertLost(topic, 1);
    // Its log is made after those that nobody declares are gone.
    broker.broadcast(topic, "other", "car").subscribe().close();
    assertThat(faults.logsOf(topic)).contains("all~0", "all~1");

    decide(topic, false);
    assertThat(faults.declared(topic)).matches("\\w+/-1/");
    broker.admin().topics().unload(topic);
    assertLost(topic, 0);
    await().untilAsserted(() -> assertThat(faults.logsOf(topic)).hasSize(2));
    assertThat(faults.logsOf(topic)).doesNotContain("all~0", "all~1");
  }

  /** A former version of the plugin finds out in the end that positions have moved. */
  @Test
  void shouldLeaveWordInTheFormerLogWithTheNextLoadWhenThatFailed() throws Exception {
    String topic = Broker.newTopic();
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failNextFormerCursor();
    leaveCarAtTwo(topic);
    assertThat(faults.isFormerCursorToFail()).as("still to fail").isFalse();
    assertThat(faults.declared(topic)).as("pending").matches("\\w+/-2/");
    await()
        .untilAsserted(
            () ->
                assertThat(faults.openLogsOf(topic))
                    .as("open, and stale when another broker has written there")
                    .noneMatch(name -> name.startsWith("pulsar-broadcast/positions/persistent/")));

    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(topic);
    assertThat(faults.declared(topic)).as("the ledger that says so").matches("\\w+/\\d+/");
  }

  /** With a mark and nothing declared it would be taken for one whose positions are lost. */
  @Test
  void shouldBePlainWhenTheBrokerDiesAsItBecomesPlain() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> brief =
        broker
            .atOnce(topic, "all", "brief")
            .property("pulsar.broadcast.cursor.ttl.seconds", "0")
            .subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(brief, 2)).isEqualTo(values(0, 2));
      awaitBacklog(broker, topic, "all", 3);
    }
    await()
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic, "all").getSubscriptionProperties())
                    .containsEntry("pulsar.broadcast.positions.waiting", "0"));
    PositionsFaults.in(folder).haltWhenNothingIsDeclared(topic);
    try (PulsarClient client = broker.newClient()) {
      client.newConsumer(Schema.STRING).topic(topic).subscriptionName("all").subscribeAsync();
      await().until(() -> !broker.process().isAlive());
    }
    broker.process().start();

    try (PulsarClient client = broker.newClient();
        Consumer<String> plain =
            client.newConsumer(Schema.STRING).topic(topic).subscriptionName("all").subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Exclusive");
      assertThat(receiveUntil(plain, "message-4"))
          .as("I1, and what the broker had not stored yet")
          .endsWith(values(2, 5).toArray(String[]::new));
    }
  }

  /** Whoever comes back misses nothing, though the write that made it plain was not answered. */
  @Test
  void shouldGoOnWithItsLogWhenItCouldNotFindOutWhetherItBecamePlain() throws Exception {
    String topic = Broker.newTopic();
    leaveNoPosition(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.loseNextRevocation(topic);
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      assertThat(raw.subscribePlain(1_000_000, topic, "plain")).failsWithin(Duration.ofMinutes(1));
    }
    assertThat(faults.isRevocationToBeLost()).isFalse();

    leaveCarAtTwo(topic);
    assertThat(faults.declared(topic)).matches("\\w+/-?\\d+/");
    try (Consumer<String> other = broker.atOnce(topic, "all", "other").subscribe()) {
      other.seek(MessageId.earliest);
      assertThat(receiveAndAck(other, 1)).isEqualTo(values(0, 1));
      awaitConnected(broker, other);
    }
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(topic);
  }

  private static void leaveNoPosition(String topic) throws Exception {
    broker
        .broadcast(topic, "all", "brief")
        .property("pulsar.broadcast.cursor.ttl.seconds", "0")
        .subscribe()
        .close();
    await()
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic, "all").getSubscriptionProperties())
                    .containsEntry("pulsar.broadcast.positions.waiting", "0"));
  }

  /**
   * I4: the broker closes a topic without waiting, and loads it again while what the former load
   * writes of positions is not answered.
   */
  @Test
  void shouldHaveALogOfItsOwnWhenTheFormerLoadStillWrites() throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    String topic = OperatedBroker.topicIn(namespace);
    PositionsFaults faults = PositionsFaults.in(folder);
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe();
        Consumer<String> slow = broker.atOnce(topic, "all", "slow").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(0, 2));
      awaitBacklog(broker, topic, "all", 5);
      broker.admin().topics().unload(topic);
      awaitConnected(broker, car);
      awaitConnected(broker, slow);

      faults.hang(topic);
      try {
        assertThat(receiveAndAck(slow, 5)).isEqualTo(values(0, 5));
        broker.admin().namespaces().unload(namespace);
        awaitConnected(broker, car);
        awaitConnected(broker, slow);
      } finally {
        faults.answer();
      }
      // Its name is stored by the load that is.
      try (Consumer<String> third = broker.atOnce(topic, "all", "third").subscribe()) {
        publish(broker, topic, 5, 6);
        assertThat(receiveAndAck(third, 1)).isEqualTo(values(5, 6));
      }
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 4)).as("I1").isEqualTo(values(2, 6));
      assertNothingMore(car);
    }
  }

  /** I5: its position was stored for the last time just before. */
  @Test
  void shouldGiveNoReceiptOfWhatIsAcknowledgedWhileTheTopicCloses() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(car, 1)).isEqualTo(values(0, 1));
      Message<String> next = receive(car, 2).get(0);
      PositionsFaults.in(folder).closeWithinNextAcknowledgement(topic);
      assertThatThrownBy(() -> car.acknowledge(next))
          .hasMessageContaining("Subscription is being closed, try again");
      awaitConnected(broker, car);
      assertThat(receiveAndAck(car, 2)).as("I1").isEqualTo(values(1, 3));
    }
  }

  /** I5, also where the broker closes the topic without waiting for its subscriptions. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGiveNoReceiptOnceThePositionsAreStoredForTheLastTime(boolean bundle) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    String topic = OperatedBroker.topicIn(namespace);
    PositionsFaults faults = PositionsFaults.in(folder);
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 1_000);
      List<Message<String>> messages = receive(car, 1_000);
      faults.hang(topic);
      // There is something to store, and the topic waits for it.
      car.acknowledge(messages.get(0));
      CompletableFuture<Void> unloaded =
          bundle
              ? broker.admin().namespaces().unloadAsync(namespace)
              : broker.admin().topics().unloadAsync(topic);
      AtomicInteger acknowledged = new AtomicInteger(1);
      try {
        assertThatThrownBy(
                () -> {
                  while (acknowledged.get() < 1_000) {
                    car.acknowledge(messages.get(acknowledged.get()));
                    acknowledged.incrementAndGet();
                  }
                })
            .hasMessageContaining("Subscription is being closed, try again");
      } finally {
        faults.answer();
      }
      unloaded.get();
      awaitConnected(broker, car);
      // The one that was refused may have been stored.
      assertThat(receive(car, 1).get(0).getValue())
          .as("I5")
          .isIn(values(acknowledged.get(), acknowledged.get() + 2));
    }
  }

  /** A load that is nobody's any more may be the last to open the log. */
  @Test
  void shouldLoadTheTopicAnewWhenItsLogIsClosedUnderIt() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(0, 2));
      awaitBacklog(broker, topic, "all", 3);
      PositionsFaults.in(folder).closeLogs();
      try (Consumer<String> second = broker.broadcast(topic, "all", "second").subscribe()) {
        publish(broker, topic, 5, 6);
        assertThat(receiveAndAck(second, 1)).isEqualTo(values(5, 6));
        awaitConnected(broker, second);
      }
      awaitConnected(broker, car);
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 4)).as("I1").isEqualTo(values(2, 6));
    }
  }

  /** Nobody would ever acknowledge what a durable subscription keeps that nobody has. */
  @Test
  void shouldLeaveNoSubscriptionOfARefusedNonDurableConsumer() throws Exception {
    String topic = Broker.newTopic();
    List<Consumer<String>> others = fill(topic);
    assertOneTooMany(nonDurable(topic));
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("other");
    for (Consumer<String> other : others) {
      other.close();
    }
    try (PulsarClient client = brief()) {
      assertRefusedWhileNoLogOpens(topic, () -> nonDurable(client, topic).subscribe());
    }
    await()
        .untilAsserted(
            () ->
                assertThat(broker.admin().topics().getSubscriptions(topic))
                    .containsExactly("other"));
  }

  /** The same when it cannot be deleted then; the topic is loaded again before anybody comes. */
  @Test
  void shouldEndWithTheNextLoadWhatARefusedNonDurableConsumerLeft() throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    leaveRefusedNonDurable(topic);
    broker.admin().topics().unload(topic);
    publish(broker, topic, 0, 1);
    await()
        .untilAsserted(() -> assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty());
  }

  /** A plain consumer that takes over what was left has its subscription for good. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldKeepWhatARefusedNonDurableConsumerLeftForAPlainOne(boolean loadedAgain)
      throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    leaveRefusedNonDurable(topic);
    if (loadedAgain) {
      broker.admin().topics().unload(topic);
    }
    try (Consumer<String> plain = plain(topic).subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(plain, 2)).isEqualTo(values(0, 2));
      awaitBacklog(broker, topic, "all", 3);
    }
    broker.admin().topics().unload(topic);
    publish(broker, topic, 5, 6);
    assertThat(stats(broker, topic, "all").getType())
        .as("else it would end soon")
        .isNotEqualTo("Broadcast");
    try (Consumer<String> plain = plain(topic).subscribe()) {
      assertThat(receiveAndAck(plain, 4)).isEqualTo(values(2, 6));
    }
  }

  private static void leaveRefusedNonDurable(String topic) throws Exception {
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failNextDeletion();
    faults.failToOpen();
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      assertThat(raw.subscribe(1_000_000, topic, "reader", false))
          .failsWithin(Duration.ofMinutes(1));
      assertThat(faults.isDeletionToFail()).isFalse();
    } finally {
      faults.open();
    }
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("all");
  }

  private static ConsumerBuilder<String> nonDurable(String topic) {
    return nonDurable(broker.client(), topic);
  }

  private static ConsumerBuilder<String> nonDurable(PulsarClient client, String topic) {
    return Broker.broadcast(client, topic, "all", "reader")
        .subscriptionMode(SubscriptionMode.NonDurable);
  }

  private static List<String> receiveUntil(Consumer<String> consumer, String last)
      throws Exception {
    List<String> received = new ArrayList<>();
    while (!received.contains(last)) {
      received.addAll(receiveAndAck(consumer, 1));
    }
    return received;
  }

  private static void leaveCarAtTwo(String topic) throws Exception {
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(0, 2));
    }
  }

  private static void assertCarIsAtTwo(String topic) throws Exception {
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(2, 5));
      assertNothingMore(car);
    }
  }

  /** Subscribes with a client that does not try for long. */
  private static void subscribeSoon(String topic, String name) throws Exception {
    try (PulsarClient client = brief();
        Consumer<String> consumer = Broker.broadcast(client, topic, "all", name).subscribe()) {
      assertThat(consumer).as("should not have been answered").isNull();
    }
  }

  private static void assertRefusedWhileNoLogOpens(String topic, ThrowingCallable subscribe)
      throws Exception {
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failToOpen();
    try {
      assertThatThrownBy(subscribe).isInstanceOf(PulsarClientException.class);
      assertThat(faultsOf(topic)).as("times that it was tried").isPositive();
    } finally {
      faults.open();
    }
  }

  /** A client that does not try for long. */
  private static PulsarClient brief() throws PulsarClientException {
    return PulsarClient.builder()
        .serviceUrl(broker.process().serviceUrl())
        .operationTimeout(3, TimeUnit.SECONDS)
        .lookupTimeout(3, TimeUnit.SECONDS)
        .build();
  }

  private static long faultsOf(String topic) throws IOException {
    String local = PositionsFaults.localNameOf(topic);
    try (Stream<String> lines = Files.lines(broker.process().logFile())) {
      return lines
          .filter(line -> line.contains("Fault: cannot open") && line.contains(local))
          .count();
    }
  }
}
