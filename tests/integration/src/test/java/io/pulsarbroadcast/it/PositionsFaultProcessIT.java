/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.FaultConsumers.assertCarIsAtTwo;
import static io.pulsarbroadcast.it.FaultConsumers.assertRefusedWhileNoLogOpens;
import static io.pulsarbroadcast.it.FaultConsumers.leaveCarAtTwo;
import static io.pulsarbroadcast.it.FaultConsumers.subscribeSoon;
import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveUntil;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.RawConnection.FIRST;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.PositionsFaults.Declaration;
import io.pulsarbroadcast.it.PositionsFaults.Former;
import io.pulsarbroadcast.it.PositionsFaults.Stale;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** I1 while the storage of positions does not answer: nothing is forgotten, and nothing made up. */
@Tag("complete")
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
        broker,
        folder,
        topic,
        () -> {
          broker.admin().topics().unload(topic);
          subscribeSoon(broker, topic, "car");
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
    assertRefusedWhileNoLogOpens(broker, folder, topic, () -> subscribeSoon(broker, topic, "car"));
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
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
        .hasMessageContaining("version 6 of the positions format; known are 1 to 5");
    assertThatThrownBy(() -> broker.plain(topic, "all").subscribe())
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
      awaitConnected(broker, car);
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

  /** I7: a client that is closed before it has taken in the failure stays away for good. */
  @Test
  void shouldSendAConsumerBackSomeTimeAfterItsUnsubscribeFailed() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> other = broker.broadcast(topic, "all", "other").subscribe();
        PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      raw.subscribe(FIRST, topic, "car").get();
      Map<BaseCommand.Type, Long> heardNanos = new ConcurrentHashMap<>();
      raw.heard(command -> heardNanos.putIfAbsent(command.getType(), System.nanoTime()) == null);
      Queue<BaseCommand> closed = raw.heard(BaseCommand::hasCloseConsumer);
      PositionsFaults faults = PositionsFaults.in(folder);
      faults.failWrites();
      try {
        assertThat(RawConnection.isDone(raw.unsubscribe(FIRST)).get()).isFalse();
        assertThat(RawConnection.isDone(raw.unsubscribe(FIRST)).get()).as("again").isFalse();
      } finally {
        faults.takeWrites();
      }
      await()
          .untilAsserted(() -> assertThat(heardNanos).containsKey(BaseCommand.Type.CLOSE_CONSUMER));
      assertThat(
              Duration.ofNanos(
                  heardNanos.get(BaseCommand.Type.CLOSE_CONSUMER)
                      - heardNanos.get(BaseCommand.Type.ERROR)))
          .isGreaterThan(Duration.ofMillis(100));
      await()
          .during(Duration.ofMillis(500))
          .untilAsserted(
              () -> assertThat(closed).as("its next consumer has the same id").hasSize(1));
      publish(broker, topic, 0, 1);
      assertThat(receiveAndAck(other, 1)).isEqualTo(values(0, 1));
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

  /** I1: the topic is there, with its positions, though not with its schema, as in Pulsar. */
  @Test
  void shouldServeConsumersAgainWhenTheDeletionOfTheTopicFailed() throws Exception {
    String topic = Broker.newTopic();
    PositionsFaults faults = PositionsFaults.in(folder);
    leaveCarAtTwo(broker, topic);
    faults.failNextDeletion();
    assertThatThrownBy(() -> broker.admin().topics().delete(topic))
        .isInstanceOf(PulsarAdminException.class);
    assertThat(faults.isDeletionToFail()).isFalse();
    try (Consumer<byte[]> car =
        broker
            .client()
            .newConsumer()
            .topic(topic)
            .subscriptionName("all")
            .consumerName("car")
            .property("pulsar.subscription.type", "Broadcast")
            .subscribe()) {
      for (String expected : values(2, 5)) {
        Message<byte[]> message = car.receive(1, TimeUnit.MINUTES);
        assertThat(message).as(expected).isNotNull();
        assertThat(new String(message.getData(), UTF_8)).isEqualTo(expected);
        car.acknowledge(message);
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** I1: the position may yet be kept, and would be lost with the subscription's type. */
  @Test
  void shouldNotBecomePlainWhileItIsNotStoredThatAPositionIsDropped() throws Exception {
    String topic = Broker.newTopic();
    PositionsFaults faults = PositionsFaults.in(folder);
    leaveCarAtTwo(broker, topic);
    faults.hang(topic);
    PositionsRequests positions = new PositionsRequests(broker.process().adminUrl(), topic, "all");
    CompletableFuture<PositionsRequests.Answer> dropped =
        CompletableFuture.supplyAsync(() -> drop(positions, "car"));
    try (PulsarClient impatient =
        PulsarClient.builder()
            .serviceUrl(broker.process().serviceUrl())
            .operationTimeout(2, TimeUnit.SECONDS)
            .build()) {
      await().until(() -> positions.list().names().isEmpty());
      assertThatThrownBy(
              () -> impatient.newConsumer().topic(topic).subscriptionName("all").subscribe())
          .as("not let in, though its client tries again")
          .hasMessageContaining("last positions are being dropped, try again");
      assertThat(dropped).isNotDone();
    } finally {
      faults.answer();
    }
    assertThat(dropped.get(1, TimeUnit.MINUTES).status()).isEqualTo(200);
    broker.plain(topic, "all").subscribe().close();
  }

  private static PositionsRequests.Answer drop(PositionsRequests positions, String name) {
    try {
      return positions.drop(Map.of("name", name));
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A ledger that could not be closed is recorded without what was being written, and has it once
   * it is recovered. Unlike here, no producer was told that this is stored.
   */
  @Test
  void shouldGoOnBehindALedgerWithMoreEntriesThanRecorded() throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "behind").subscribe().close();
    try (Consumer<String> tail = broker.broadcast(topic, "all", "tail").subscribe()) {
      publish(broker, topic, 0, 5);
      receiveAndAck(tail, 4);
    }
    broker.admin().topics().unload(topic);
    publish(broker, topic, 5, 10);
    PositionsFaults.in(folder).recordFewerEntries(topic);
    broker.admin().topics().unload(topic);
    try (Consumer<String> tail = broker.broadcast(topic, "all", "tail").subscribe();
        Consumer<String> behind = broker.broadcast(topic, "all", "behind").subscribe()) {
      assertThat(receiveAndAck(tail, 5)).isEqualTo(values(5, 10));
      assertThat(receiveAndAck(behind, 4)).isEqualTo(values(0, 4));
      assertThat(receiveAndAck(behind, 5)).isEqualTo(values(5, 10));
      assertNothingMore(tail);
      assertNothingMore(behind);
    }
    awaitBacklog(broker, topic, "all", 0);
  }

  /** A client tries again; who has a position does not need what cannot be read. */
  @Test
  void shouldRefuseAsNotReadableOnlyWhoseStartIsToBeFound() throws Exception {
    String topic = Broker.newTopic();
    leaveCarAtTwo(broker, topic);
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
    leaveCarAtTwo(broker, topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    String declared = faults.declared(topic);
    faults.declare(topic, value);
    broker.admin().topics().unload(topic);

    assertThatThrownBy(() -> broker.broadcast(topic, "all", "car").subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class)
        .hasMessageContaining("they are declared in a format that it does not know");
    assertThatThrownBy(() -> broker.plain(topic, "all").subscribe())
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
    // Its log is made after those that nobody declares are gone.
    broker.broadcast(topic, "other", "car").subscribe().close();

    assertThat(faults.declared(topic)).isEqualTo(value);
    faults.declare(topic, declared);
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(broker, topic);
  }

  /** What a crash, or a broker without the plugin, leaves. */
  @Test
  void shouldDeleteALogThatNobodyDeclaresWithTheNextLoad() throws Exception {
    String topic = Broker.newTopic();
    leaveCarAtTwo(broker, topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.makeLog(topic, "0");
    assertThat(faults.logsOf(topic)).hasSize(2);

    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(broker, topic);
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
    leaveCarAtTwo(broker, topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.makeLog(topic, "0");
    faults.declare(topic, "0/-1/");
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(broker, topic);
    assertThat(faults.declared(topic)).as("as versions before read it").matches("\\w+/-1/0");

    faults.makeLog(topic, "1");
    faults.declare(topic, "1/-1/0");
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(broker, topic);
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
    leaveFormerLog(topic, "all", Former.MARKED);
    broker.admin().topics().unload(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failNextWriteOfAFormerLog();
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 4)).isEqualTo(values(4, 8));
    }
    assertThat(faults.isFormerLogToFail()).as("still to fail").isFalse();
    assertThat(faults.declared(topic)).as("pending").matches("\\w+/-2/");
    await()
        .untilAsserted(
            () ->
                assertThat(faults.openLogsOf(topic))
                    .as("open, and stale when another broker has written there")
                    .noneMatch(name -> name.startsWith("pulsar-broadcast/positions/persistent/")));

    broker.admin().topics().unload(topic);
    try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(8, 10));
    }
    assertThat(faults.declared(topic)).as("the ledger that says so").matches("\\w+/\\d+/");
  }

  /** A subscription made again has none of the old positions, nor has the one after it. */
  @Test
  void shouldLeaveWordInTheFormerLogOfADeletedSubscription() throws Exception {
    String topic = Broker.newTopic();
    leaveFormerLog(topic, "all", Former.UNMARKED);
    broker.admin().topics().deleteSubscription(topic, "all");
    try (Consumer<String> car =
        broker
            .broadcast(topic, "all", "car")
            .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
            .subscribe()) {
      assertThat(receiveAndAck(car, 10)).isEqualTo(values(0, 10));
    }
    assertThat(PositionsFaults.in(folder).declared(topic))
        .as("the ledger that says so")
        .matches("\\w+/\\d+/");
  }

  /** Which would be a managed ledger more for each. */
  @Test
  void shouldLeaveNothingUnderTheFormerNameOfANewSubscription() throws Exception {
    String topic = Broker.newTopic();
    leaveCarAtTwo(broker, topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    assertThat(faults.declared(topic)).as("nothing").matches("\\w+/-1/");
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(broker, topic);
    assertThat(faults.declared(topic)).as("nothing").matches("\\w+/-1/");
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
}
