/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static io.pulsarbroadcast.broker.dispatch.TestDispatch.END;
import static io.pulsarbroadcast.broker.dispatch.TestDispatch.ENTRY_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.dispatch.TestDispatch.Connection;
import io.pulsarbroadcast.broker.dispatch.TestDispatch.Quota;
import io.pulsarbroadcast.broker.dispatch.TestDispatch.Read;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which reads the dispatcher asks for, and when; storage and timer answer when the test says so.
 */
@ExtendWith(FailedReadsUnlogged.class)
class BroadcastDispatcherTest {

  private final TestDispatch test = new TestDispatch();

  @AfterEach
  void close() {
    test.close();
  }

  /** I8: a ledger that cannot be read costs nobody who needs another one. */
  @Test
  void shouldServeOthersWhileOnePlaceCannotBeRead() {
    Connection stuck = test.connection();
    stuck.consumerAt(10);
    Connection fine = test.connection();
    fine.consumerAt(500);

    Read unreadable = test.source.behind.remove();
    assertThat(unreadable.from).isEqualTo(10);
    unreadable.fail();
    Read readable = test.source.behind.remove();
    assertThat(readable.from).isEqualTo(500);
    readable.answer();

    assertThat(fine.received()).containsExactly(500L);
  }

  /** I8 on one connection, which a proxy's many clients may share. */
  @Test
  void shouldServeOthersOfTheConnectionWhileOnePlaceCannotBeRead() {
    Connection connection = test.connection();
    connection.consumerAt(10);
    connection.consumerAt(500);

    long first = test.source.behind.element().from;
    test.source.behind.remove().fail();
    assertThat(test.source.behind).as("reads before the time to try again").isEmpty();
    test.elapse();

    assertThat(test.source.behind.remove().from).isNotEqualTo(first);
  }

  /** I8: a transaction that is open keeps from being sent only what is after its beginning. */
  @Test
  void shouldServeOthersWhileAPlaceMayNotBeReadYet() {
    Connection connection = test.connection();
    FanoutConsumer late = connection.consumerAt(500);
    FanoutConsumer early = connection.consumerAt(10);
    Connection other = test.connection();
    FanoutConsumer later = other.consumerAt(600);
    Read notYet = test.source.behind.remove();
    assertThat(notYet.from).isEqualTo(500);
    notYet.notYet();
    Read readable = test.source.behind.remove();
    assertThat(readable.from).isEqualTo(10);
    readable.answer();
    assertThat(early.messagesOut()).isEqualTo(1);
    assertThat(test.source.behind).extracting(read -> read.from).containsExactly(500L);

    test.source.behind.remove().notYet();
    assertThat(test.source.behind).as("until it is time to look again").isEmpty();
    test.elapse();
    test.answerAll(601);
    assertThat(late.messagesOut()).isEqualTo(1);
    assertThat(later.messagesOut()).isEqualTo(1);
  }

  /** I7: also when it was behind that a consumer was, and closing the topic failed. */
  @Test
  void shouldGoOnForThoseBehindWhenReopened() {
    Connection connection = test.connection();
    FanoutConsumer consumer = connection.consumerAt(10);
    test.dispatcher.close();
    test.run();
    test.source.behind.remove().fail();
    assertThat(test.timer).isEmpty();

    test.dispatcher.reopen();
    test.run();
    test.source.behind.remove().answer();

    assertThat(consumer.messagesOut()).isEqualTo(1);
  }

  /** I7: a read that closing ends may end when the dispatcher has been opened again. */
  @Test
  void shouldGoOnWhenAReadEndsThatBeganBeforeItWasClosed() {
    Connection atTail = test.connection();
    atTail.consumerAt(END);
    Connection behind = test.connection();
    behind.consumerAt(10);
    test.source.cancels = false;
    test.dispatcher.close();
    test.run();
    test.dispatcher.reopen();
    test.run();
    test.source.behind.remove().fail(false);
    test.source.failTail(false);
    test.elapse();
    test.source.behind.remove().answer();
    test.publish(END);

    assertThat(behind.received()).containsExactly(10L);
    assertThat(atTail.received()).containsExactly(END);
  }

  /** Whoever reads the topic's cursor next finds its one place for a waiting read free. */
  @Test
  void shouldTakeBackTheReadThatWaitsWhenClosedAndAskAgainWhenReopened() {
    test.connection().consumerAt(END);
    assertThat(test.source.tail).isNotNull();

    CompletableFuture<Void> closed = test.dispatcher.close();
    test.run();
    assertThat(closed).isCompleted();
    assertThat(test.source.tail).as("the read that waited").isNull();

    test.dispatcher.reopen();
    test.run();
    assertThat(test.source.tail).as("the read that waits").isNotNull();
  }

  @Test
  void shouldNotReadTheTailWhenTheLastConsumerThereIsGone() {
    Connection connection = test.connection();
    connection.consumerAt(10);
    FanoutConsumer atTail = connection.consumerAt(END);
    assertThat(test.source.tailReads).isEqualTo(1);

    connection.fanout.remove(atTail);
    test.publish(END);

    assertThat(test.source.tailReads).isEqualTo(1);
  }

  /** I8: who comes to a topic with a backlog does not wait until it has been read for nobody. */
  @Test
  void shouldGoOnAtTheTailWhereAConsumerFarAheadIs() {
    Connection connection = test.connection();
    FanoutConsumer farAhead = connection.consumerAt(END + 5_000);

    assertThat(test.source.leaptTo).isEqualTo(END + 5_000);
    assertThat(test.source.tailReads).isEqualTo(1);
    test.publish(END + 5_000);
    assertThat(farAhead.messagesOut()).isEqualTo(1);
  }

  /** I7: also when nothing new is published. */
  @Test
  void shouldServeThoseWhomTheTailHasLeaptOver() {
    Connection near = test.connection();
    FanoutConsumer leaptOver = near.consumerAt(END + 10);
    Connection far = test.connection();
    far.consumerAt(END + 5_000);
    assertThat(test.source.leaptTo).as("while a read is under way").isZero();

    test.publish(END);
    assertThat(test.source.leaptTo).isEqualTo(END + 5_000);
    Read read = test.source.behind.remove();
    assertThat(read.from).isEqualTo(END + 10);
    read.answer();

    assertThat(leaptOver.messagesOut()).isEqualTo(1);
  }

  /** Everybody would be behind for a moment. */
  @Test
  void shouldNotLeapToAConsumerThatTheTailWillSoonReach() {
    test.connection().consumerAt(END + 100);

    assertThat(test.source.leaptTo).isZero();
    assertThat(test.source.tailReads).isEqualTo(1);
  }

  /** I8: an operator's skip spares the reads of what nobody is to get any more. */
  @Test
  void shouldReadForThoseBehindFromWhereTheyWereSkippedTo() {
    Connection connection = test.connection();
    FanoutConsumer behind = connection.consumerAt(10);
    Read before = test.source.behind.remove();

    test.registry.skipTo(500);
    test.dispatcher.skipTo(500);
    test.run();
    before.answer();

    assertThat(test.source.skippedTo).as("the tail is further").isZero();
    assertThat(test.source.behind.remove().from).isEqualTo(500);
    assertThat(behind.messagesOut()).isZero();
  }

  @Test
  void shouldMoveTheTailOnWhenEverythingIsSkipped() {
    Connection connection = test.connection();
    FanoutConsumer consumer = connection.consumerAt(END);

    test.registry.skipTo(END + 5);
    test.dispatcher.skipTo(END + 5);
    test.run();
    assertThat(test.source.skippedTo).isEqualTo(END + 5);
    test.publish(END + 5);

    assertThat(connection.received()).containsExactly(END + 5);
    assertThat(consumer.next).isEqualTo(END + 6);
  }

  /** I8: what is handed over and not taken yet is retained memory. */
  @Test
  void shouldHaveTwoBatchesUnderWayAtMost() {
    Connection fine = test.connection();
    fine.consumerAt(END, 10);
    Connection busy = test.connection();
    busy.consumerAt(END, 10);
    busy.stopped = true;

    test.publish(END);
    test.publish(END + 1);
    assertThat(fine.received()).containsExactly(END, END + 1);
    assertThat(test.source.tail).as("a third").isNull();

    busy.stopped = false;
    test.run();
    assertThat(busy.received()).containsExactly(END, END + 1);
    test.publish(END + 2);
    assertThat(busy.received()).containsExactly(END + 2);
    assertThat(test.source.tail).isNotNull();
  }

  /** A batch without entries is not under way to anybody. */
  @Test
  void shouldReadOnAfterNothingWasRead() {
    test.connection().consumerAt(END);
    for (int i = 0; i < 3; i++) {
      test.source.takeTail().entriesRead(List.of(), END + 1);
      test.run();
    }

    assertThat(test.source.tail).isNotNull();
  }

  /** I8: storage that is away is not asked all the time. */
  @Test
  void shouldTryAgainAtTheTailAfterLongerAndLongerTimes() {
    test.connection().consumerAt(END, 10);
    for (long millis : new long[] {100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000}) {
      test.source.failTail(true);
      assertThat(test.source.tail).isNull();
      assertThat(test.timer).extracting(TestDispatch.Delayed::millis).containsExactly(millis);
      test.elapse();
    }
    assertThat(test.metric("read_failures_total")).isEqualTo(9);

    test.publish(END);
    test.source.failTail(true);
    assertThat(test.timer)
        .as("after one that did not fail")
        .extracting(TestDispatch.Delayed::millis)
        .containsExactly(100L);
  }

  @Test
  void shouldTryAgainForThoseBehindAfterLongerAndLongerTimes() {
    FanoutConsumer consumer = test.connection().consumerAt(10, 10);
    for (long millis : new long[] {100, 200, 400}) {
      test.source.behind.remove().fail();
      assertThat(test.source.behind).isEmpty();
      assertThat(test.timer).extracting(TestDispatch.Delayed::millis).containsExactly(millis);
      test.elapse();
    }
    test.source.behind.remove().answer();
    assertThat(consumer.messagesOut()).isEqualTo(1);

    test.source.behind.remove().fail();
    assertThat(test.timer)
        .as("after one that did not fail")
        .extracting(TestDispatch.Delayed::millis)
        .containsExactly(100L);
  }

  /** I7: also when the broker fails where it should answer. */
  @ParameterizedTest
  @ValueSource(longs = {END, 10})
  void shouldTryAgainWhenReadingThrows(long next) {
    test.source.broken = true;
    Connection connection = test.connection();
    connection.consumerAt(next);
    assertThat(test.timer).hasSize(1);
    test.elapse();
    if (next == END) {
      test.publish(END);
    } else {
      test.source.behind.remove().answer();
    }

    assertThat(connection.received()).containsExactly(next);
  }

  @Test
  void shouldNotTryAgainWhatCannotWork() {
    Connection connection = test.connection();
    connection.consumerAt(END);
    connection.consumerAt(10);
    test.source.failTail(false);
    test.source.behind.remove().fail(false);

    assertThat(test.timer).isEmpty();
    assertThat(test.metric("read_failures_total")).isZero();
  }

  @Test
  void shouldNotTryAgainWhenClosed() {
    test.connection().consumerAt(END);
    EntrySource.ReadCallback answering = test.source.takeTail();
    test.dispatcher.close();
    test.run();
    answering.readFailed(new IOException("bookie away"), true);
    test.run();

    assertThat(test.timer).isEmpty();
    assertThat(test.source.closed).isTrue();
  }

  /** I7: also when the topic is quiet. */
  @Test
  void shouldReadAgainWhenADispatchRateLimitMayAllowIt() {
    Connection connection = test.connection();
    test.quota.share = DispatchQuota.Share.NOTHING;
    connection.consumerAt(END);
    connection.consumerAt(10);
    assertThat(test.source.tail).isNull();
    assertThat(test.source.behind).isEmpty();
    assertThat(test.timer).extracting(TestDispatch.Delayed::millis).containsExactly(1_000L);

    test.elapse();
    assertThat(test.source.tail).isNull();
    assertThat(test.timer).as("once for all readers").hasSize(1);

    test.quota.share = new DispatchQuota.Share(3, 300);
    test.elapse();
    assertThat(test.source.tailMax).isEqualTo(test.quota.share);
    assertThat(test.source.behind.element().max).isEqualTo(test.quota.share);
    test.publish(END);
    test.source.behind.remove().answer();
    assertThat(connection.received()).containsExactly(END, 10L);
  }

  /** Each delivery counts, as often as there are consumers. */
  @Test
  void shouldTellADispatchRateLimitWhatWasSent() {
    Connection connection = test.connection();
    connection.consumerAt(END, 10);
    connection.consumerAt(END, 10);
    FanoutConsumer behind = connection.consumerAt(10, 10);

    test.publish(test.entry(END, 3, 20), test.entry(END + 1));
    assertThat(test.quota.sent)
        .containsExactly(new Quota.Sent(true, 4, 8, 2 * 20 + 2 * ENTRY_BYTES));
    test.quota.sent.clear();
    test.source.behind.remove().answerTo(12);
    assertThat(test.quota.sent).containsExactly(new Quota.Sent(false, 2, 2, 2 * ENTRY_BYTES));

    assertThat(test.metric("deliveries_total")).isEqualTo(10);
    assertThat(test.metric("delivered_bytes_total")).isEqualTo(40 + 4 * ENTRY_BYTES);
    assertThat(test.metric("redeliveries_total")).isZero();
    assertThat(test.metric("tail_entries_total")).isEqualTo(2);
    assertThat(test.metric("catch_up_reads_total")).isEqualTo(1);
    assertThat(test.metric("catch_up_entries_total")).isEqualTo(2);
    assertThat(test.metric("catch_up_bytes_total")).isEqualTo(2 * ENTRY_BYTES);

    connection.fanout.startAgain(behind);
    test.run();
    test.answerAll(12);
    assertThat(test.metric("redeliveries_total")).isEqualTo(2);
  }

  @Test
  void shouldCountThoseThatOneReadServesAsOneConvoy() {
    test.connection().consumerAt(5);
    for (int i = 0; i < 3; i++) {
      test.connection().consumerAt(10);
    }
    test.connection().consumerAt(500);
    test.dispatcher.convoys();
    test.run();
    assertThat(test.dispatcher.convoys()).isEqualTo(3);

    test.source.behind.remove().answer();
    test.source.behind.remove().answer();
    assertThat(test.dispatcher.convoys()).as("as counted after the call before").isEqualTo(3);
    test.run();
    assertThat(test.dispatcher.convoys()).isEqualTo(1);
  }

  @Test
  void shouldServeAConvoyWithOneRead() {
    Connection one = test.connection();
    Connection other = test.connection();
    one.consumerAt(5);
    one.consumerAt(12);
    other.consumerAt(10);
    Connection further = test.connection();
    further.consumerAt(15);
    assertThat(test.source.behind).hasSize(1);
    test.source.behind.remove().answerTo(15);

    assertThat(one.received()).containsExactly(5L, 12L);
    assertThat(other.received()).containsExactly(10L);
    assertThat(further.received()).as("from the end of what was read on").isEmpty();
    assertThat(test.source.behind.remove().from).isEqualTo(15);
  }

  /** A read for those behind ends where the tail reader goes on. */
  @Test
  void shouldReadForThoseBehindUpToTheTail() {
    Connection connection = test.connection();
    connection.consumerAt(10);
    assertThat(test.source.behind.element().to).isEqualTo(END);

    TestOwner owner = new TestOwner();
    Connection other = test.connection();
    FanoutConsumer unordered = other.unorderedAt(END, 10, owner);
    test.publish(END);
    test.publish(END + 1);
    test.source.behind.remove().answer();
    other.fanout.redeliver(unordered, new long[] {END});
    test.run();
    Read one = test.source.behind.remove();
    assertThat(one.from).isEqualTo(END);
    assertThat(one.to).as("only what it asked for").isEqualTo(END + 1);
  }

  /** Two that are one entry apart would otherwise read everything twice. */
  @Test
  void shouldAnswerFromABatchThatAnotherConnectionWasGivenAMomentAgo() {
    Connection first = test.connection();
    Connection second = test.connection();
    first.consumerAt(10, 5);
    test.source.behind.remove().answerTo(15);

    second.consumerAt(12, 3);
    assertThat(second.received()).containsExactly(12L, 13L, 14L);
    assertThat(test.source.behind).isEmpty();

    second.consumerAt(15);
    assertThat(test.source.behind.remove().from).as("after the batch").isEqualTo(15);
  }

  /** I8: what nobody asked for in a second is given up. */
  @Test
  void shouldKeepABatchForOthersWhileTheyAskForIt() {
    Connection first = test.connection();
    Connection second = test.connection();
    first.consumerAt(10, 2);
    test.source.behind.remove().answerTo(12);
    assertThat(test.retained()).isEqualTo(2);
    assertThat(test.timer).extracting(TestDispatch.Delayed::millis).containsExactly(1_000L);

    test.elapse();
    assertThat(test.retained()).as("used since the last look").isEqualTo(2);
    second.consumerAt(11);
    test.elapse();
    assertThat(test.retained()).as("used since the last look").isEqualTo(2);
    test.elapse();
    assertThat(test.retained()).as("not used").isZero();
    assertThat(test.timer).isEmpty();

    second.consumerAt(10);
    test.source.behind.remove().answer();
    assertThat(test.timer).as("the next one expires too").hasSize(1);
  }

  @Test
  void shouldKeepNoBatchForOthersWhenThereAreNone() {
    Connection only = test.connection();
    only.consumerAt(10);
    test.source.behind.remove().answer();

    assertThat(test.retained()).isZero();
    assertThat(test.timer).isEmpty();
  }

  /** A rate limit holds for what is not read but kept, too. */
  @Test
  void shouldNotAnswerFromAKeptBatchBeyondADispatchRateLimit() {
    Connection first = test.connection();
    Connection second = test.connection();
    first.consumerAt(10);
    test.source.behind.remove().answer();
    test.quota.share = DispatchQuota.Share.NOTHING;
    second.consumerAt(10);
    assertThat(second.received()).isEmpty();

    test.quota.share = DispatchQuota.Share.ALL;
    test.elapse();
    test.source.behind.remove().answer();
    assertThat(second.received()).containsExactly(10L);
  }

  /** I8: closing a topic gives up what is kept, and what is read afterwards is not kept. */
  @Test
  void shouldKeepNothingForOthersWhenClosed() {
    Connection first = test.connection();
    Connection second = test.connection();
    first.consumerAt(10);
    second.consumerAt(500);
    test.source.behind.remove().answer();
    Read last = test.source.behind.remove();
    assertThat(test.retained()).isEqualTo(1);

    test.dispatcher.close();
    test.run();
    assertThat(test.retained()).isZero();
    last.answer();
    assertThat(test.retained()).isZero();
    test.elapse();
    assertThat(test.timer).isEmpty();
  }

  /** I8: many full sockets cost a bounded amount of memory; nobody misses anything (I1). */
  @Test
  void shouldHoldWhatFullSocketsWaitForUpToALimit() {
    TestDispatch little = new TestDispatch(3 * ENTRY_BYTES);
    Connection one = little.connection();
    Connection other = little.connection();
    for (Connection connection : List.of(one, other)) {
      connection.consumerAt(10, 2);
      connection.setWritable(false);
    }
    little.source.behind.remove().answerTo(12);
    assertThat(little.retained()).isEqualTo(2);

    one.setWritable(true);
    other.setWritable(true);
    assertThat(one.received().size() + other.received().size()).as("that was held").isEqualTo(2);
    little.source.behind.remove().answerTo(12);
    assertThat(one.received().size() + other.received().size()).as("and read again").isEqualTo(2);
    little.close();
  }

  @Test
  void shouldNotReadForAConnectionThatIsGone() {
    Connection stays = test.connection();
    stays.consumerAt(10);
    Connection goes = test.connection();
    goes.consumerAt(500);
    goes.close();
    test.source.behind.remove().answer();

    assertThat(test.source.behind).isEmpty();
  }

  /** Its request may come after it. */
  @Test
  void shouldNotReadForAConnectionThatAsksWhenItIsGone() {
    Connection goes = test.connection();
    goes.close();
    test.dispatcher.requestCatchUp(goes.fanout, 10, Long.MAX_VALUE);
    test.run();

    assertThat(test.source.behind).isEmpty();
  }

  /** A consumer at the tail of one connection, and none any more on another. */
  @Test
  void shouldReadTheTailAsLongAsOneConnectionIsThere() {
    Connection one = test.connection();
    one.consumerAt(END, 10);
    Connection other = test.connection();
    FanoutConsumer leaves = other.consumerAt(END, 10);
    other.fanout.remove(leaves);
    test.publish(END);
    assertThat(test.source.tail).isNotNull();

    one.close();
    test.publish(END + 1);
    assertThat(test.source.tail).isNull();
  }
}
