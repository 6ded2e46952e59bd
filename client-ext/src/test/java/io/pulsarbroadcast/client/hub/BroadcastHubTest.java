/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import static org.apache.pulsar.client.api.SubscriptionInitialPosition.Earliest;
import static org.apache.pulsar.client.api.SubscriptionInitialPosition.Latest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException.InvalidConfigurationException;
import org.apache.pulsar.client.impl.BatchMessageIdImpl;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.client.impl.TopicMessageIdImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a hub does on one thread: subscribers are called by whoever gives them something. */
@Timeout(60)
class BroadcastHubTest {
  private static final long ALL = Long.MAX_VALUE;

  private final FakeConsumer wire = new FakeConsumer();
  private BroadcastHub<String> hub;

  @AfterEach
  void close() throws Exception {
    if (hub != null) {
      hub.close();
      assertThat(wire.isClosed()).isTrue();
    }
  }

  private BroadcastHubBuilder<String> builder() {
    return wire.hub().executor(Runnable::run).resumeTime(Duration.ZERO);
  }

  private void open(int maxMessages) throws Exception {
    hub = builder().maxMessages(maxMessages).subscribe();
  }

  /** Its executor runs tasks at once, but fails while it is told to. */
  private void openFailing(boolean[] failing, Runnable failure) throws Exception {
    hub =
        builder()
            .executor(
                task -> {
                  if (failing[0]) {
                    failure.run();
                  }
                  task.run();
                })
            .subscribe();
  }

  /** Else everything is sent again and again for a session that takes its time. */
  @Test
  void shouldHaveNoAckTimeout() throws Exception {
    open(10);
    assertThat(wire.ackTimeout()).isZero();
  }

  /** Whatever its builder was told: a plain consumer would be one that shares or excludes. */
  @Test
  void shouldSubscribeABroadcastConsumer() throws Exception {
    open(10);
    assertThat(wire.properties()).containsEntry("pulsar.subscription.type", "Broadcast");
  }

  private RecordingSubscriber session(String name, long requests) {
    RecordingSubscriber subscriber = new RecordingSubscriber(requests);
    hub.open(name, Latest, subscriber);
    return subscriber;
  }

  private RecordingSubscriber earliest(String name) {
    RecordingSubscriber subscriber = new RecordingSubscriber(ALL);
    hub.open(name, Earliest, subscriber);
    return subscriber;
  }

  private static List<String> values(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "message-" + i).toList();
  }

  private static List<MessageId> ids(int from, int to) {
    return IntStream.range(from, to).mapToObj(FakeConsumer::id).toList();
  }

  @Test
  void shouldGiveEachSessionEverythingOnceAndInOrder() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    wire.send(0, 5);
    RecordingSubscriber late = session("late", ALL);
    RecordingSubscriber fromOldest = earliest("from-oldest");
    wire.send(5, 10);
    assertThat(a.values).isEqualTo(values(0, 10));
    assertThat(late.values).isEqualTo(values(5, 10));
    assertThat(fromOldest.values).isEqualTo(values(0, 10));
    assertThat(hub.openSessions()).isEqualTo(3);
  }

  @Test
  void shouldDeliverWhatWasRequestedAndNoMore() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", 0);
    wire.send(0, 5);
    assertThat(a.values).isEmpty();
    a.session.request(2);
    assertThat(a.values).isEqualTo(values(0, 2));
    a.session.request(ALL);
    a.session.request(ALL);
    wire.send(5);
    assertThat(a.values).isEqualTo(values(0, 6));
  }

  @Test
  void shouldAcknowledgeToTheBrokerWhatTheSlowestSessionHas() throws Exception {
    open(100);
    RecordingSubscriber fast = session("fast", ALL);
    RecordingSubscriber slow = session("slow", ALL);
    wire.send(0, 10);
    fast.session.acknowledge(FakeConsumer.id(9));
    assertThat(wire.acknowledged()).isEmpty();
    slow.session.acknowledge(FakeConsumer.id(3));
    assertThat(wire.acknowledged()).isEqualTo(ids(0, 4));
    assertThat(hub.heldMessages()).isEqualTo(6);
    slow.session.unsubscribe();
    assertThat(wire.acknowledged()).as("without a further message").isEqualTo(ids(0, 10));
  }

  @Test
  void shouldFollowTheHeadWithoutSessions() throws Exception {
    open(100);
    wire.send(0, 10);
    assertThat(wire.acknowledged()).isEqualTo(ids(0, 10));
    assertThat(hub.heldMessages()).isZero();
  }

  @Test
  void shouldTakeAnIdThatWasSerialised() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    MessageId plain = new MessageIdImpl(1, 1, -1);
    MessageId ofPartition = new MessageIdImpl(2, 1, 3);
    MessageId ofTopics = new TopicMessageIdImpl("t-partition-4", new MessageIdImpl(3, 1, 4));
    MessageId ofBatch = batchId(4, 0, new BitSet());
    List<MessageId> all = List.of(plain, ofPartition, ofTopics, ofBatch);
    for (int i = 0; i < all.size(); i++) {
      wire.send(FakeConsumer.message(all.get(i), "t" + i, "value"));
      a.session.acknowledge(MessageId.fromByteArray(all.get(i).toByteArray()));
      assertThat(wire.acknowledged()).hasSize(i + 1).last().isSameAs(all.get(i));
    }
  }

  private static MessageId batchId(long ledger, int index, BitSet unacknowledged) {
    return new BatchMessageIdImpl(ledger, 0, -1, index, 3, unacknowledged);
  }

  @Test
  void shouldIgnoreAcknowledgementsOfWhatASessionDoesNotOwe() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", 2);
    wire.send(0, 5);
    a.session.acknowledge(FakeConsumer.id(2)); // not delivered
    a.session.acknowledge(FakeConsumer.id(77)); // never sent
    assertThat(wire.acknowledged()).isEmpty();
    a.session.acknowledge(FakeConsumer.id(1));
    a.session.acknowledge(FakeConsumer.id(0)); // acknowledged, and not held
    RecordingSubscriber b = earliest("b");
    b.session.acknowledge(FakeConsumer.id(4));
    a.session.request(ALL);
    a.session.acknowledge(FakeConsumer.id(3));
    a.session.acknowledge(FakeConsumer.id(2)); // acknowledged
    assertThat(wire.acknowledged()).isEqualTo(ids(0, 4));
    a.session.close();
    a.session.acknowledge(FakeConsumer.id(4)); // ended
    assertThat(wire.acknowledged()).isEqualTo(ids(0, 4));
  }

  @Test
  void shouldResumeAfterTheLastAcknowledgedMessageOfItsName() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    wire.send(0, 5);
    a.session.acknowledge(FakeConsumer.id(1));
    a.session.cancel();
    wire.send(5, 8);
    assertThat(a.values).isEqualTo(values(0, 5));
    assertThat(a.ends).isEmpty();
    assertThat(wire.acknowledged()).isEqualTo(ids(0, 2));
    assertThat(session("a", ALL).values).isEqualTo(values(2, 8));
  }

  @Test
  void shouldStartAnewAfterUnsubscribing() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    wire.send(0, 5);
    a.session.close();
    a.session.unsubscribe();
    assertThat(wire.acknowledged()).isEqualTo(ids(0, 5));
    wire.send(5);
    assertThat(session("a", ALL).values).isEmpty();
  }

  @Test
  void shouldRefuseASecondSessionOfAName() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    assertThatThrownBy(() -> session("a", ALL))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Session a is open; allowed is a name of which no session is open");
    wire.send(0, 3);
    assertThat(a.values).isEqualTo(values(0, 3));
  }

  @Test
  void shouldEndASessionBeyondTheBoundAndNoOther() throws Exception {
    open(10);
    RecordingSubscriber dead = session("dead", 0);
    RecordingSubscriber silent = session("silent", ALL);
    RecordingSubscriber closed = session("closed", ALL);
    closed.session.close();
    RecordingSubscriber good = session("good", ALL);
    for (int i = 0; i < 10; i++) {
      wire.send(i);
      good.session.acknowledge(FakeConsumer.id(i));
    }
    assertThat(dead.ends).isEmpty();
    assertThat(hub.heldMessages()).isEqualTo(10);
    wire.send(10);
    assertThat(dead.error)
        .isInstanceOf(SessionTooFarBehindException.class)
        .hasMessageContainingAll("dead", "maxMessages=10", "BroadcastHubBuilder.maxMessages");
    assertThat(silent.error).isInstanceOf(SessionTooFarBehindException.class);
    assertThat(silent.values).isEqualTo(values(0, 10));
    assertThat(good.values).isEqualTo(values(0, 11));
    assertThat(good.ends).isEmpty();
    assertThat(hub.endedSessions()).isEqualTo(2);
    assertThat(hub.forgottenNames()).isEqualTo(1);
    assertThat(hub.openSessions()).isEqualTo(1);
    assertThat(wire.acknowledged()).isEqualTo(ids(0, 10));
    assertThat(session("closed", ALL).values).as("its position is forgotten").isEmpty();
    dead.session.request(5);
    dead.session.unsubscribe();
    assertThat(dead.values).isEmpty();
  }

  @Test
  void shouldEndOnlyTheSessionWhoseSubscriberThrows() throws Exception {
    open(100);
    RecordingSubscriber failing =
        new RecordingSubscriber(ALL) {
          @Override
          void received(Message<String> message) {
            throw new IllegalStateException("of the application");
          }
        };
    hub.open("failing", Latest, failing);
    RecordingSubscriber good = session("good", ALL);
    wire.send(0, 3);
    assertThat(failing.values).isEqualTo(values(0, 1));
    assertThat(failing.error).hasMessage("of the application");
    assertThat(good.values).isEqualTo(values(0, 3));
    assertThat(session("failing", ALL).values).as("nothing is lost").isEqualTo(values(0, 3));
  }

  @Test
  void shouldEndASessionThatRequestsNothing() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", 0);
    a.session.request(0);
    assertThat(a.error)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("request(0) of session a: allowed is 1 or more");
  }

  @Test
  void shouldNotRepeatWhatTheBrokerSendsAgain() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    wire.send(0, 5);
    a.session.acknowledge(FakeConsumer.id(2));
    wire.send(1, 7);
    assertThat(a.values).isEqualTo(values(0, 7));
    assertThat(wire.acknowledgements())
        .as("what is not held is acknowledged again")
        .isEqualTo(
            java.util.Map.of(FakeConsumer.id(0), 1, FakeConsumer.id(1), 2, FakeConsumer.id(2), 2));
  }

  /** Or the client, which counts the acknowledgements of each delivery, never sends that. */
  @Test
  void shouldAcknowledgeOneDeliveryOfABatchCompletely() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    BitSet unused = new BitSet();
    for (int i = 0; i < 3; i++) {
      wire.send(FakeConsumer.message(batchId(1, i, unused), "t", "first-" + i));
    }
    a.session.acknowledge(batchId(1, 0, unused));
    List<MessageId> again = IntStream.range(0, 3).mapToObj(i -> batchId(1, i, unused)).toList();
    again.forEach(id -> wire.send(FakeConsumer.message(id, "t", "again")));
    a.session.acknowledge(batchId(1, 2, unused));
    assertThat(a.values).containsExactly("first-0", "first-1", "first-2");
    List<MessageId> acknowledged = wire.acknowledged();
    for (int i = 0; i < 3; i++) {
      assertThat(acknowledged.get(i + 1)).isSameAs(again.get(i));
    }
  }

  /** As by an entry filter that reschedules one: what comes late is not what came again. */
  @Test
  void shouldGiveAMessageThatComesAfterLaterOnes() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    wire.send(1, 3);
    a.session.acknowledge(FakeConsumer.id(2));
    wire.send(0, 4);
    assertThat(a.values).containsExactly("message-1", "message-2", "message-0", "message-3");
    a.session.acknowledge(FakeConsumer.id(0));
    assertThat(hub.heldMessages()).isEqualTo(1);
  }

  @Test
  void shouldRememberAsManyMessagesAsItMayHold() throws Exception {
    open(10);
    wire.send(0, 11);
    RecordingSubscriber a = session("a", ALL);
    wire.send(1, 11);
    assertThat(a.values).isEmpty();
    wire.send(0);
    assertThat(a.values).as("rather twice than never").isEqualTo(values(0, 1));
  }

  @Test
  void shouldReadALongBacklogWithoutRecursion() throws Exception {
    wire.send(0, 100_000);
    open(100);
    assertThat(wire.acknowledged()).hasSize(100_000);
  }

  @Test
  void shouldHoldEverythingUntilTheResumeTimeIsOver() throws Exception {
    hub = builder().maxMessages(5).resumeTime(Duration.ofSeconds(1)).subscribe();
    RecordingSubscriber early = session("early", ALL);
    wire.send(0, 8);
    early.session.acknowledge(FakeConsumer.id(4));
    early.session.unsubscribe();
    RecordingSubscriber returned = earliest("returned");
    assertThat(returned.values).isEqualTo(values(0, 5));
    returned.session.acknowledge(FakeConsumer.id(4));
    assertThat(wire.acknowledged()).isEmpty();
    assertThat(wire.unread()).as("beyond the bound, nothing is read meanwhile").isEqualTo(3);
    // Nothing else happens.
    awaitSize(returned.values, 8);
    assertThat(returned.values).isEqualTo(values(0, 8));
    assertThat(wire.acknowledged()).isEqualTo(ids(0, 5));
  }

  @Test
  void shouldAcknowledgeAfterTheResumeTimeThoughNothingElseHappens() throws Exception {
    hub = builder().resumeTime(Duration.ofMillis(500)).subscribe();
    wire.send(0, 3);
    assertThat(hub.heldMessages()).isEqualTo(3);
    long startNanos = System.nanoTime();
    while (hub.heldMessages() > 0 && System.nanoTime() - startNanos < 50e9) {
      Thread.onSpinWait();
    }
    assertThat(hub.heldMessages()).isZero();
  }

  private static void awaitSize(List<?> list, int size) {
    long startNanos = System.nanoTime();
    while (list.size() < size && System.nanoTime() - startNanos < 50e9) {
      Thread.onSpinWait();
    }
  }

  @Test
  void shouldCompleteItsSessionsWhenItCloses() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    wire.send(0, 3);
    hub.close();
    assertThat(a.ends).containsExactly("complete");
    a.session.acknowledge(FakeConsumer.id(2));
    assertThat(wire.acknowledged()).as("it stays at the broker").isEmpty();
    assertThatThrownBy(() -> session("b", ALL))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Session b cannot be opened: the hub is closed");
  }

  @Test
  void shouldTellItsSessionsWhyTheConsumerEnded() throws Exception {
    open(100);
    RecordingSubscriber a = session("a", ALL);
    wire.endByClient();
    assertThat(a.error).hasMessage("Consumer already closed");
    assertThatThrownBy(() -> session("b", ALL)).hasRootCauseMessage("Consumer already closed");
  }

  @Test
  void shouldNotSubscribeWithAMessageListener() {
    wire.fail(new InvalidConfigurationException("a listener has been set"));
    assertThatThrownBy(() -> open(1))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessage("a listener has been set");
    assertThat(wire.isClosed()).isTrue();
  }

  @Test
  void shouldEndASessionForWhichTheExecutorHasNoThread() throws Exception {
    Queue<Runnable> tasks = new ArrayDeque<>();
    hub =
        builder()
            .executor(
                task -> {
                  if (tasks.size() == 1) {
                    throw new RejectedExecutionException();
                  }
                  tasks.add(task);
                })
            .subscribe();
    RecordingSubscriber a = new RecordingSubscriber(ALL);
    hub.open("a", Latest, a);
    assertThatThrownBy(() -> hub.open("b", Latest, new RecordingSubscriber(ALL)))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("Session b cannot be opened: the hub's executor takes no task for it");
    assertThat(hub.openSessions()).isEqualTo(1);
    tasks.remove().run();
    wire.send(0, 1);
    tasks.remove().run();
    assertThat(a.values).isEqualTo(values(0, 1));
  }

  @Test
  void shouldKeepNoPositionOfANameThatCouldNotBeOpened() throws Exception {
    boolean[] refusing = new boolean[1];
    openFailing(
        refusing,
        () -> {
          throw new RejectedExecutionException();
        });
    hub.open("known", Latest, new RecordingSubscriber(ALL)).close();
    wire.send(0);
    refusing[0] = true;
    for (String name : List.of("known", "unknown")) {
      assertThatThrownBy(() -> hub.open(name, Latest, new RecordingSubscriber(ALL)))
          .isInstanceOf(RejectedExecutionException.class);
    }
    refusing[0] = false;
    wire.send(1);
    assertThat(wire.acknowledged()).as("known has its position").isEmpty();
    RecordingSubscriber known = earliest("known");
    assertThat(known.values).isEqualTo(values(0, 2));
    known.session.unsubscribe();
    assertThat(wire.acknowledged()).as("unknown has none").isEqualTo(ids(0, 2));
  }

  /** As of an executor that can start no further thread. */
  @Test
  void shouldGoOnWithTheOthersWhenTheExecutorFails() throws Exception {
    boolean[] failing = new boolean[1];
    openFailing(
        failing,
        () -> {
          throw new OutOfMemoryError("no thread");
        });
    RecordingSubscriber unlucky = new RecordingSubscriber(ALL);
    hub.open("unlucky", Latest, unlucky);
    RecordingSubscriber waiting = new RecordingSubscriber(0);
    hub.open("waiting", Latest, waiting);
    failing[0] = true;
    wire.send(0);
    failing[0] = false;
    wire.send(1);
    waiting.session.request(2);

    assertThat(hub.openSessions()).isEqualTo(1);
    assertThat(unlucky.values).isEmpty();
    assertThat(waiting.values).isEqualTo(values(0, 2));
  }

  @Test
  void shouldNotCallASubscriberThatClosedBeforeItsFirstCall() throws Exception {
    Queue<Runnable> tasks = new ArrayDeque<>();
    hub = builder().executor(tasks::add).subscribe();
    RecordingSubscriber subscriber = new RecordingSubscriber(ALL);
    hub.open("a", Latest, subscriber).close();
    tasks.remove().run();

    assertThat(subscriber.session).isNull();
  }

  @Test
  void shouldRememberNoMoreThanAHundredThousandMessages() throws Exception {
    open(Integer.MAX_VALUE);
    wire.send(0, 100_001);
    RecordingSubscriber subscriber = new RecordingSubscriber(ALL);
    hub.open("a", Latest, subscriber);

    wire.send(1);
    assertThat(subscriber.values).isEmpty();
    wire.send(0);
    assertThat(subscriber.values).isEqualTo(values(0, 1));
  }

  /** A task that makes way for others comes after those that wait. */
  @Test
  void shouldTakeTasksInTheirOrderByDefault() {
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    CountDownLatch others = new CountDownLatch(1);
    CountDownLatch queued = new CountDownLatch(1);
    List<String> order = new CopyOnWriteArrayList<>();
    try {
      DefaultExecutor.SHARED.execute(
          () -> {
            await(queued);
            DefaultExecutor.SHARED.execute(() -> order.add("again"));
          });
      for (int i = 1; i < threads; i++) {
        DefaultExecutor.SHARED.execute(() -> await(others));
      }
      DefaultExecutor.SHARED.execute(() -> order.add("other"));
      queued.countDown();
      awaitSize(order, 2);
      assertThat(order).containsExactly("other", "again");
    } finally {
      others.countDown();
    }
  }

  @Test
  void shouldLetASubscriberThatBlocksHoldUpNobodyElse() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      hub = builder().executor(threads).maxMessages(10).subscribe();
      CountDownLatch blocks = new CountDownLatch(1);
      CountDownLatch blocked = new CountDownLatch(1);
      CountDownLatch over = new CountDownLatch(1);
      hub.open(
          "blocking",
          Latest,
          new RecordingSubscriber(ALL) {
            @Override
            void received(Message<String> message) {
              blocks.countDown();
              await(blocked);
            }

            @Override
            public void onError(Throwable throwable) {
              over.countDown();
            }
          });
      RecordingSubscriber good =
          new RecordingSubscriber(ALL) {
            @Override
            void received(Message<String> message) {
              session.acknowledge(message.getMessageId());
            }
          };
      hub.open("good", Latest, good);
      for (int i = 0; i < 100; i++) {
        wire.send(i);
        awaitSize(good.values, i + 1);
        await(blocks);
      }
      assertThat(good.values).isEqualTo(values(0, 100));
      assertThat(hub.endedSessions()).isEqualTo(1);
      assertThat(over.getCount()).as("it cannot hear yet").isEqualTo(1);
      blocked.countDown();
      assertThat(over.await(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      threads.shutdown();
    }
  }

  /** Each message leads to all that come after it. */
  @Test
  void shouldRetainNothingForASubscriberThatBlocksForEver() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    CountDownLatch blocked = new CountDownLatch(1);
    try {
      hub = builder().executor(threads).maxMessages(10).subscribe();
      CountDownLatch called = new CountDownLatch(1);
      hub.open(
          "blocking",
          Latest,
          new RecordingSubscriber(ALL) {
            @Override
            void received(Message<String> message) {
              called.countDown();
              await(blocked);
            }
          });
      wire.send(0);
      await(called);
      Message<String> last = FakeConsumer.message(FakeConsumer.id(1), "t", "value");
      WeakReference<Message<String>> retained = new WeakReference<>(last);
      wire.send(last);
      last = null;
      wire.send(2, 50);
      assertThat(hub.endedSessions()).isEqualTo(1);
      long startNanos = System.nanoTime();
      while (retained.get() != null && System.nanoTime() - startNanos < 50e9) {
        System.gc();
      }
      assertThat(retained.get()).isNull();
    } finally {
      blocked.countDown();
      threads.shutdown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldSayWhatSettingsAreAllowed() {
    assertThatThrownBy(() -> builder().maxMessages(0))
        .hasMessage("maxMessages is 0; allowed: 1 or more");
    assertThatThrownBy(() -> builder().resumeTime(Duration.ofSeconds(-1)))
        .hasMessage("resumeTime is PT-1S; allowed: 0 seconds or more");
    assertThatThrownBy(() -> builder().resumeTime(null)).hasMessage("resumeTime");
  }
}
