/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static io.pulsarbroadcast.broker.dispatch.TestDispatch.END;
import static io.pulsarbroadcast.broker.dispatch.TestDispatch.MAX_PENDING_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.LogLines;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.dispatch.TestDispatch.Connection;
import io.pulsarbroadcast.broker.dispatch.TestDispatch.Frame;
import io.pulsarbroadcast.broker.dispatch.TestDispatch.Read;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the consumers of a connection get, and what it holds for them. */
class ConnectionFanoutTest {

  private final TestDispatch test = new TestDispatch();
  private final Connection connection = test.connection();
  private final TestOwner owner = new TestOwner();

  @AfterEach
  void close() {
    test.close();
  }

  private void publish(int entries) {
    for (long ordinal = END; ordinal < END + entries; ordinal++) {
      test.publish(ordinal);
    }
  }

  /** What was asked for again comes again, marked so that the client knows it from what came. */
  @Test
  void shouldSendAnOrderedConsumerAgainWhatItHasNotAcknowledged() {
    FanoutConsumer consumer = connection.consumerAt(END, 100);
    publish(3);
    connection.frames();
    consumer.cursor().ackCumulative(END);

    connection.fanout.rewind(consumer, 7);
    test.run();
    test.answerAll(END + 3);
    assertThat(connection.frames())
        .containsExactly(new Frame(0, END + 1, 0, 7, 0), new Frame(0, END + 2, 0, 7, 0));

    connection.fanout.rewind(consumer, 5);
    test.run();
    test.answerAll(END + 3);
    assertThat(connection.frames())
        .as("an epoch does not go back")
        .extracting(Frame::epoch)
        .containsExactly(7L, 7L);
    test.publish(END + 3);
    assertThat(connection.received()).as("back at the tail").containsExactly(END + 3);
  }

  @Test
  void shouldSendAnUnorderedConsumerAgainWhatItHasNotAcknowledged() {
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    publish(4);
    connection.frames();
    consumer.cursor().ackIndividual(END + 1);

    connection.fanout.rewind(consumer, 0);
    test.run();
    test.answerAll(END + 4);
    assertThat(connection.frames())
        .containsExactly(
            new Frame(0, END, 1, -1, 0),
            new Frame(0, END + 2, 1, -1, 0),
            new Frame(0, END + 3, 1, -1, 0));
    assertThat(consumer.messagesRedelivered()).isEqualTo(3);
  }

  @Test
  void shouldSendSingleEntriesAgain() {
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    publish(4);
    connection.frames();

    for (int time = 1; time <= 2; time++) {
      connection.fanout.redeliver(consumer, new long[] {END + 3, END + 1});
      test.run();
      test.answerAll(END + 4);
      assertThat(connection.frames())
          .containsExactly(new Frame(0, END + 1, time, -1, 0), new Frame(0, END + 3, time, -1, 0));
    }
    test.publish(END + 4);
    assertThat(connection.received()).as("back at the tail").containsExactly(END + 4);
  }

  /** Whoever asks again waits at the tail for nobody, and is sent what it asked for at once. */
  @Test
  void shouldSendWhatIsPublishedAfterWhatWasAskedForAgain() {
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    publish(1);
    connection.frames();
    connection.fanout.redeliver(consumer, new long[] {END});
    test.run();
    Read again = test.source.behind.remove();
    assertThat(again.to).isEqualTo(END + 1);
    assertThat(test.metric("laggards")).isEqualTo(1);
    again.answer();

    assertThat(connection.received()).containsExactly(END);
    assertThat(test.metric("laggards")).isZero();
  }

  /** As the broker does it: who asks again may be sent that, whatever it has not acknowledged. */
  @Test
  void shouldSendABlockedConsumerWhatItAskedForAgain() {
    owner.maxUnacknowledgedEntries = 2;
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    publish(2);
    assertThat(connection.received()).containsExactly(END, END + 1);
    assertThat(consumer.isBlocked()).isTrue();
    connection.fanout.redeliver(consumer, new long[] {END});
    test.run();
    test.answerAll(END + 2);
    assertThat(connection.received()).startsWith(END);

    assertThat(consumer.isBlocked()).isTrue();
    connection.fanout.rewind(consumer, 0);
    test.run();
    test.answerAll(END + 2);
    assertThat(connection.received()).contains(END, END + 1);
  }

  @Test
  void shouldGoOnWithABlockedConsumerThatAcknowledges() {
    owner.maxUnacknowledgedEntries = 2;
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    connection.consumerAt(END, 100);
    publish(5);
    connection.frames();
    assertThat(consumer.messagesOut()).isEqualTo(2);
    assertThat(test.source.behind).as("it waits for acknowledgements").isEmpty();

    consumer.cursor().ackIndividual(END);
    connection.fanout.unblock(consumer);
    test.run();
    test.answerAll(END + 5);
    assertThat(connection.received()).startsWith(END + 2);
  }

  @Test
  void shouldSendNothingWithoutPermits() {
    FanoutConsumer consumer = connection.consumerAt(END, 2);
    connection.consumerAt(END, 100);
    publish(4);
    assertThat(consumer.messagesOut()).isEqualTo(2);
    assertThat(consumer.permits()).isZero();
    assertThat(test.source.behind).isEmpty();

    connection.fanout.flow(consumer, 1);
    test.run();
    test.answerAll(END + 4);
    assertThat(consumer.messagesOut()).isEqualTo(3);
    assertThat(consumer.next).isEqualTo(END + 3);
  }

  /** I7: who has caught up is served from the tail again, and costs no reads. */
  @Test
  void shouldServeWhoHasCaughtUpFromTheTail() {
    FanoutConsumer consumer = connection.consumerAt(END - 3, 100);
    assertThat(test.metric("laggards")).isEqualTo(1);
    test.answerAll(END);
    assertThat(connection.received()).containsExactly(END - 3, END - 2, END - 1);
    assertThat(test.metric("laggards")).isZero();

    publish(2);
    assertThat(connection.received()).containsExactly(END, END + 1);
    assertThat(test.source.behind).isEmpty();
    assertThat(consumer.next).isEqualTo(END + 2);
  }

  /** A skip takes consumers along. */
  @Test
  void shouldTakeAlongWhoHasNotComeSoFarWhenEntriesAreSkipped() {
    FanoutConsumer behind = connection.consumerAt(10, 1_000);
    FanoutConsumer further = connection.consumerAt(700, 100);
    FanoutConsumer without = connection.consumerAt(20, 0);
    skipTo(500);
    test.run();

    assertThat(List.of(behind.next, further.next, without.next)).containsExactly(500L, 700L, 500L);
    assertThat(behind.cursor().deliveredEnd()).as("it may acknowledge them").isEqualTo(500);
    assertThat(further.cursor().deliveredEnd()).isEqualTo(700);
    test.answerAll(END);
    assertThat(connection.received()).contains(500L, 700L).doesNotContain(499L, 20L);
    assertThat(behind.next).isEqualTo(END);
    assertThat(without.messagesOut()).isZero();
  }

  /** Its position has not moved, so nobody counts what it would not be sent (I6). */
  @Test
  void shouldLeaveWhoComesBeforeItHearsOfASkipWhereItIs() {
    test.registry.skipTo(500);
    FanoutConsumer newcomer = connection.readerAt(10, 1_000);
    test.dispatcher.skipTo(500);
    test.run();

    assertThat(newcomer.next).isEqualTo(10);
    test.answerAll(END);
    assertThat(connection.received()).contains(10L, 499L, 500L);
  }

  @Test
  void shouldTakeConsumersAtTheTailAlongBeyondIt() {
    FanoutConsumer consumer = connection.consumerAt(END, 100);
    skipTo(END + 10);
    test.run();
    FanoutConsumer late = connection.readerAt(END + 5, 100);
    assertThat(test.source.behind.element().from)
        .as("the tail reader goes on after it")
        .isEqualTo(END + 5);
    assertThat(test.source.behind.remove().to).isEqualTo(END + 10);
    test.publish(END + 10);

    assertThat(consumer.messagesOut()).isEqualTo(1);
    assertThat(late.messagesOut()).isZero();
  }

  /** I7: what waits for a full socket ends before the place where the tail reader goes on. */
  @Test
  void shouldReadForWhoStartsInWhatIsQueuedAndSkipped() {
    connection.consumerAt(END, 100);
    test.connection().consumerAt(END, 100);
    connection.setWritable(false);
    publish(3);
    skipTo(END + 20);
    FanoutConsumer reader = connection.readerAt(END + 1, 100);
    connection.setWritable(true);
    test.run();
    test.answerAll(END + 20);

    assertThat(reader.next).isEqualTo(END + 20);
    assertThat(connection.received())
        .containsExactlyElementsOf(LongStream.range(END + 1, END + 20).boxed().toList());
  }

  /** What it did not acknowledge is skipped. */
  @Test
  void shouldGoOnWithABlockedConsumerWhoseEntriesAreSkipped() {
    owner.maxUnacknowledgedEntries = 2;
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    publish(2);
    connection.frames();
    assertThat(consumer.isBlocked()).isTrue();
    skipTo(END + 2);
    test.publish(END + 2);

    assertThat(connection.received()).containsExactly(END + 2);
  }

  private void skipTo(long ordinal) {
    test.registry.skipTo(ordinal);
    test.dispatcher.skipTo(ordinal);
    test.run();
  }

  /** I8: what is delayed for a week may be skipped within a day. */
  @Test
  void shouldHoldNoRoomForDelayedMessagesThatAreSkipped() {
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    owner.deliverAtMillis = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
    publish(20);
    skipTo(END + 18);

    assertThat(test.dispatcher.delayedRoom().held().get()).isEqualTo(2);
    assertThat(consumer.delayedEntries()).isEqualTo(2);
    assertThat(consumer.unacknowledgedEntries()).isZero();
  }

  @Test
  void shouldCountWhatIsNotAcknowledgedAfterASkip() {
    owner.maxUnacknowledgedEntries = 4;
    FanoutConsumer consumer = connection.unorderedAt(END, 4, owner);
    test.connection().consumerAt(END, 100);
    publish(4);
    connection.fanout.redeliver(consumer, new long[] {END, END + 1, END + 2});
    skipTo(END + 3);
    assertThat(consumer.unacknowledgedEntries()).isEqualTo(1);

    connection.frames();
    connection.fanout.flow(consumer, 100);
    test.run();
    for (long ordinal = END + 4; ordinal < END + 10; ordinal++) {
      test.publish(ordinal);
    }
    assertThat(connection.received())
        .as("until the limit")
        .containsExactly(END + 4, END + 5, END + 6);
  }

  /** I6: it was counted as skipped, and would be counted as lost when it is not stored any more. */
  @Test
  void shouldNotReadWhatWasAskedForAgainAndIsSkipped() {
    FanoutConsumer consumer = connection.unorderedAt(END, 2, owner);
    publish(2);
    connection.frames();
    connection.fanout.redeliver(consumer, new long[] {END, END + 1});
    skipTo(END + 2);
    connection.fanout.flow(consumer, 10);
    test.run();

    assertThat(test.source.behind).isEmpty();
    test.publish(END + 2);
    assertThat(connection.received()).containsExactly(END + 2);
  }

  /** I7: nothing else tells a consumer that waits for its turn to be read for. */
  @Test
  void shouldGoOnAtTheTailWhenAllThatWasAskedForAgainIsSkipped() {
    FanoutConsumer consumer = connection.unorderedAt(END, 10, owner);
    publish(2);
    connection.frames();
    connection.setWritable(false);
    connection.fanout.redeliver(consumer, new long[] {END});
    skipTo(END + 2);
    connection.setWritable(true);

    assertThat(test.source.behind).isEmpty();
    assertThat(test.metric("laggards")).isZero();
    test.publish(END + 2);
    assertThat(connection.received()).containsExactly(END + 2);
  }

  /** I6: everybody else may have acknowledged it too, and then it is not stored any more. */
  @Test
  void shouldNotReadWhatWasAskedForAgainAndIsAcknowledged() {
    FanoutConsumer consumer = connection.unorderedAt(END, 2, owner);
    publish(2);
    connection.frames();
    connection.fanout.redeliver(consumer, new long[] {END, END + 1});
    consumer.cursor().ackIndividual(END);
    consumer.cursor().ackIndividual(END + 1);
    assertThat(consumer.unacknowledgedEntries()).isZero();
    connection.fanout.flow(consumer, 10);
    test.run();

    assertThat(test.source.behind).isEmpty();
    test.publish(END + 2);
    assertThat(connection.received()).containsExactly(END + 2);
  }

  /** I6 and I7, while it waits for its turn to be read for. */
  @Test
  void shouldNotReadWhatIsAcknowledgedWhileItWaitsToBeSentAgain() {
    FanoutConsumer ordered = connection.consumerAt(END, 10);
    FanoutConsumer unordered = connection.unorderedAt(END, 10, owner);
    publish(2);
    connection.frames();
    connection.setWritable(false);
    connection.fanout.rewind(ordered, 1);
    connection.fanout.rewind(unordered, 1);
    for (FanoutConsumer consumer : List.of(ordered, unordered)) {
      consumer.cursor().ackCumulative(END + 1);
    }
    connection.setWritable(true);

    assertThat(test.source.behind).isEmpty();
    assertThat(test.metric("laggards")).isZero();
    test.publish(END + 2);
    assertThat(connection.received()).containsExactly(END + 2, END + 2);
  }

  @Test
  void shouldHoldWhatAFullSocketDoesNotTake() {
    FanoutConsumer consumer = connection.consumerAt(END, 100);
    connection.setWritable(false);
    publish(2);
    assertThat(connection.received()).isEmpty();
    assertThat(test.retained()).isEqualTo(2);
    assertThat(test.metric("unwritable_connections")).isEqualTo(1);

    connection.setWritable(true);
    assertThat(connection.received()).containsExactly(END, END + 1);
    assertThat(test.retained()).isZero();
    assertThat(test.metric("unwritable_connections")).isZero();
    assertThat(consumer.next).isEqualTo(END + 2);
  }

  /** I8: beyond a bound it falls behind, and reads again what it did not take (I1). */
  @Test
  void shouldFallBehindWhenAFullSocketTakesNothingForLong() {
    connection.consumerAt(END, 100);
    connection.setWritable(false);
    int held = MAX_PENDING_BYTES / TestDispatch.ENTRY_BYTES;
    publish(held);
    assertThat(test.retained()).as("as much as it may hold").isEqualTo(held);
    test.publish(END + held);
    assertThat(test.retained()).isZero();
    assertThat(test.source.tail).as("nobody is at the tail, one read is under way").isNotNull();
    test.publish(END + held + 1);
    assertThat(test.source.tail).isNull();
    assertThat(test.source.behind).as("no reads for a full socket").isEmpty();

    connection.setWritable(true);
    test.answerAll(END + held + 2);
    assertThat(connection.received()).hasSize(held + 2).isSorted().startsWith(END);
    test.publish(END + held + 2);
    assertThat(connection.received()).containsExactly(END + held + 2);
  }

  /** I8: what has been dropped does not count any more. */
  @Test
  void shouldHoldAsMuchAgainAfterItWasBehind() {
    FanoutConsumer consumer = connection.consumerAt(END, 100);
    long next = END;
    for (int time = 0; time < 3; time++) {
      connection.setWritable(false);
      test.publish(test.entry(next, MAX_PENDING_BYTES));
      assertThat(test.retained()).isEqualTo(1);
      connection.setWritable(true);
      assertThat(test.retained()).isZero();
      next++;
    }
    assertThat(consumer.messagesOut()).isEqualTo(3);
    connection.setWritable(false);
    test.publish(test.entry(next, MAX_PENDING_BYTES + 1));
    assertThat(test.retained()).isZero();
    test.publish(test.entry(next + 1, 1));
    connection.setWritable(true);
    test.answerAll(next + 2);
    connection.setWritable(false);
    test.publish(test.entry(next + 2, MAX_PENDING_BYTES));
    assertThat(test.retained()).isEqualTo(1);
  }

  @Test
  void shouldHoldNothingForNobody() {
    connection.consumerAt(END, 1);
    publish(1);
    test.publish(END + 1);
    assertThat(test.retained()).isZero();

    FanoutConsumer late = connection.consumerAt(END + 1);
    assertThat(test.source.behind.remove().from).as("it has gone by").isEqualTo(END + 1);
    assertThat(late.messagesOut()).isZero();
  }

  /** What others still need of it is not read again for who has it already. */
  @Test
  void shouldServeWhoComesFromWhatIsHeldForOthers() {
    connection.consumerAt(END, 100);
    connection.setWritable(false);
    publish(2);
    FanoutConsumer comes = connection.consumerAt(END + 1, 100);
    FanoutConsumer behind = connection.consumerAt(END - 1, 100);
    connection.setWritable(true);

    assertThat(comes.messagesOut()).isEqualTo(1);
    assertThat(behind.messagesOut()).isZero();
    assertThat(test.source.behind.remove().from).isEqualTo(END - 1);
  }

  @Test
  void shouldGiveUpWhatItHoldsAtOnceWhenItCloses() {
    FanoutConsumer atTail = connection.unorderedAt(END, 100, owner);
    TestOwner behindsOwner = new TestOwner();
    connection.unorderedAt(10, 100, behindsOwner);
    connection.setWritable(false);
    publish(1);
    test.source.behind.remove().answerTo(12);
    assertThat(test.retained()).isEqualTo(3);

    connection.close();
    assertThat(test.retained()).isZero();
    assertThat(List.of(owner.closed, behindsOwner.closed)).containsOnly(true);
    assertThat(atTail.messagesOut()).isZero();
    assertThat(test.dispatcher.mayHold()).isTrue();
    test.publish(END + 1);
    assertThat(test.source.tail).as("nobody is at the tail").isNull();
    for (String gauge : List.of("connections", "laggards", "unwritable_connections")) {
      assertThat(test.metric(gauge)).as(gauge).isZero();
    }
  }

  /** Batches that were on their way when it closed. */
  @Test
  void shouldTakeNothingAfterItHasClosed() {
    Connection other = test.connection();
    other.consumerAt(END, 100);
    FanoutConsumer consumer = connection.consumerAt(END, 100);
    connection.consumerAt(10, 100);
    connection.stopped = true;
    publish(1);
    test.source.behind.remove().answer();
    connection.fanout.close();
    connection.stopped = false;
    test.run();
    other.frames();

    assertThat(connection.received()).isEmpty();
    assertThat(consumer.messagesOut()).isZero();
    test.elapse();
    test.elapse();
    assertThat(test.retained()).as("also when it is not kept for others").isZero();
    test.publish(END + 1);
    assertThat(test.source.tail).as("the other is served").isNotNull();
  }

  /** The connection went away while the consumer was being created. */
  @Test
  void shouldCloseAConsumerThatComesToAConnectionThatIsGone() {
    Connection gone = test.connection();
    gone.channel.close();
    gone.unorderedAt(END, 0, owner);

    assertThat(owner.closed).isTrue();
  }

  @Test
  void shouldNotCloseAConsumerThatComesToAConnectionThatIsThere() {
    connection.unorderedAt(END, 1, owner);

    assertThat(owner.closed).isFalse();
  }

  @Test
  void shouldSendNothingToAConsumerThatWasRemoved() {
    FanoutConsumer first = connection.consumerAt(END, 100);
    FanoutConsumer second = connection.consumerAt(END, 100);
    FanoutConsumer third = connection.consumerAt(END, 100);
    connection.fanout.remove(first);
    connection.fanout.remove(first);
    connection.fanout.flow(first, 10);
    publish(1);

    assertThat(connection.frames()).extracting(Frame::consumer).containsExactly(1L, 2L);
    assertThat(first.isGone()).isTrue();
    connection.fanout.remove(third);
    connection.fanout.remove(second);
    skipTo(END + 10);
    test.run();
    assertThat(List.of(first.next, second.next, third.next))
        .as("none of them is a member any more")
        .containsExactly(END, END + 1, END + 1);
  }

  @Test
  void shouldNotCountAConsumerThatWasRemovedAsBehind() {
    FanoutConsumer behind = connection.consumerAt(10);
    assertThat(test.metric("laggards")).isEqualTo(1);
    connection.fanout.remove(behind);

    assertThat(test.metric("laggards")).isZero();
  }

  /** Consumers may come before the dispatcher knows of their connection. */
  @Test
  void shouldServeWhoCameBeforeItTookPart() {
    TestDispatch other = new TestDispatch();
    Connection early = other.connectionNotYet();
    FanoutConsumer atTail = early.consumerAt(END);
    FanoutConsumer behind = early.consumerAt(10);
    assertThat(other.source.tail).isNull();
    other.dispatcher.connect(early.fanout);
    other.run();
    other.source.behind.remove().answer();
    other.publish(END);

    assertThat(atTail.messagesOut()).isEqualTo(1);
    assertThat(behind.messagesOut()).isEqualTo(1);
    other.close();
  }

  /** A filter's word counts as an acknowledgement, and costs no permit. */
  @Test
  void shouldPassWhatAFilterRejects() {
    FanoutConsumer consumer = connection.unorderedAt(END, 1, owner);
    owner.verdict = ConsumerOwner.Verdict.REJECT;
    publish(2);
    assertThat(owner.filtered).containsExactly(END, END + 1);
    owner.verdict = ConsumerOwner.Verdict.ACCEPT;
    test.publish(END + 2);

    assertThat(connection.received()).containsExactly(END + 2);
    assertThat(consumer.permits()).isZero();
  }

  @Test
  void shouldNotSendWhatIsAcknowledgedAlready() {
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    publish(3);
    connection.frames();
    consumer.cursor().ackIndividual(END + 1);
    connection.fanout.startAgain(consumer);
    test.run();
    test.answerAll(END + 3);

    assertThat(connection.received()).containsExactly(END, END + 2);
  }

  /** What is left of a batch costs as many permits as it has messages. */
  @Test
  void shouldSendOnlyWhatIsLeftOfABatch() {
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    test.publish(test.entry(END, 5, 10));
    connection.frames();
    assertThat(consumer.permits()).isEqualTo(95);
    consumer.cursor().ackPart(END, new long[] {0b10110});
    connection.fanout.rewind(consumer, 0);
    test.run();
    Read read = test.source.behind.remove();
    read.answer(END + 1, List.of(test.entry(END, 5, 10)));

    assertThat(connection.frames()).containsExactly(new Frame(0, END, 1, -1, 1));
    assertThat(consumer.permits()).isEqualTo(92);
  }

  /** Parts that a client named beyond the batch do not keep it from being whole. */
  @Test
  void shouldNotSendABatchOfWhichNothingIsLeft() {
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    test.publish(test.entry(END, 5, 10));
    connection.frames();
    consumer.cursor().ackPart(END, new long[] {0b11100000});
    connection.fanout.rewind(consumer, 0);
    test.run();
    test.source.behind.remove().answer(END + 1, List.of(test.entry(END, 5, 10)));

    assertThat(connection.received()).isEmpty();
    assertThat(owner.filtered).containsExactly(END);
  }

  @Test
  void shouldSendADelayedMessageWhenItIsTime() {
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    owner.deliverAtMillis = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
    publish(1);
    owner.deliverAtMillis = System.currentTimeMillis() - 1;
    test.publish(END + 1);
    assertThat(connection.received()).as("what is due").containsExactly(END + 1);
    assertThat(consumer.delayedEntries()).isEqualTo(1);

    connection.fanout.startAgain(consumer);
    assertThat(consumer.delayedEntries()).isZero();
    assertThat(test.dispatcher.delayedRoom().held().get()).isZero();
    test.run();
    test.answerAll(END + 2);
    assertThat(connection.received()).containsExactly(END, END + 1);
  }

  /** I8: for a consumer that is gone nothing is held. */
  @Test
  void shouldForgetDelayedMessagesWhenItCloses() {
    Connection goes = test.connection();
    owner.deliverAtMillis = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
    goes.unorderedAt(END, 100, owner);
    publish(1);
    assertThat(test.dispatcher.delayedRoom().held().get()).isEqualTo(1);
    goes.close();

    assertThat(test.dispatcher.delayedRoom().held().get()).isZero();
  }

  /** An ordered consumer would get everything after it too late. */
  @Test
  void shouldNotDelayForTheOrderedContract() {
    owner.deliverAtMillis = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
    connection.orderedAt(END, 100, owner);
    publish(1);

    assertThat(connection.received()).containsExactly(END);
  }

  /** I8: consumers that come and go leave a bounded amount behind. */
  @Test
  void shouldForgetDelayedMessagesOfConsumersThatAreGone() {
    owner.deliverAtMillis = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
    FanoutConsumer goes = connection.unorderedAt(END, 100, owner);
    publish(20);
    assertThat(test.dispatcher.delayedRoom().held().get()).isEqualTo(20);
    connection.fanout.remove(goes);

    assertThat(test.dispatcher.delayedRoom().held().get()).isZero();
  }

  /** I8: what is held for a full socket is given up when whoever it was held for has left. */
  @Test
  void shouldGiveUpWhatItHoldsWhenTheLastAtTheTailHasLeft() {
    test.connection().consumerAt(END, 100);
    FanoutConsumer leaves = connection.consumerAt(END, 100);
    connection.setWritable(false);
    publish(1);
    assertThat(test.retained()).isEqualTo(1);
    connection.fanout.remove(leaves);
    test.publish(END + 1);

    assertThat(test.retained()).isZero();
  }

  /** I1: what is before it is left to the reader for those behind. */
  @Test
  void shouldReadAgainWhatTheTailReaderPassedOver() {
    FanoutConsumer consumer = connection.consumerAt(END, 100);
    test.publish(END + 3);
    assertThat(consumer.messagesOut()).isZero();
    test.answerAll(END + 4);

    assertThat(connection.received()).containsExactly(END, END + 1, END + 2, END + 3);
  }

  @Test
  void shouldTakeWhoIsBehindAlongToTheTail() {
    connection.consumerAt(10, 100);
    skipTo(END + 5);
    test.run();
    test.source.behind.remove().answer();
    assertThat(test.source.behind).isEmpty();
    test.publish(END + 5);

    assertThat(connection.received()).containsExactly(END + 5);
  }

  /** I7: a skip may be all that happens. */
  @Test
  void shouldGoOnWithABlockedConsumerBehindWhoseEntriesAreSkipped() {
    owner.maxUnacknowledgedEntries = 2;
    FanoutConsumer consumer = connection.unorderedAt(END, 100, owner);
    test.connection().consumerAt(END, 100);
    publish(4);
    assertThat(connection.received()).containsExactly(END, END + 1);
    assertThat(consumer.isBlocked()).isTrue();
    skipTo(END + 2);
    test.answerAll(END + 4);

    assertThat(connection.received()).containsExactly(END + 2, END + 3);
  }

  @Test
  void shouldRunTasksOnItsThread() {
    boolean[] ran = {false};
    connection.fanout.execute(() -> ran[0] = true);
    assertThat(ran).containsExactly(false);
    test.run();

    assertThat(ran).containsExactly(true);
  }

  /**
   * I7, I8: some of its consumers have been given the entry, one in part, the others not: all of
   * them reconnect. Nobody else learns of it.
   */
  @Test
  void shouldCloseAConnectionForWhoseFramesMemoryEnds() {
    ScarceMemory memory = new ScarceMemory();
    connection.channel.config().setAllocator(memory);
    for (int i = 0; i < 10; i++) {
      connection.consumerAt(END, 100);
    }
    Connection other = test.connection();
    other.consumerAt(END, 100);
    memory.left = 1;
    List<String> lines = LogLines.of(FrameWriter.class, () -> publish(1));
    memory.left = Integer.MAX_VALUE;
    test.publish(END + 1);

    assertThat(connection.channel.isOpen()).isFalse();
    assertThat(connection.received()).isEmpty();
    assertThat(memory.held()).isZero();
    assertThat(lines).as("one for all consumers").hasSize(1);
    assertThat(other.received()).containsExactly(END, END + 1);
  }

  /** The same for a batch that is read for those behind. */
  @Test
  void shouldCloseAConnectionForWhoseFramesMemoryEndsWhileItCatchesUp() {
    ScarceMemory memory = new ScarceMemory();
    connection.channel.config().setAllocator(memory);
    connection.consumerAt(10, 100);
    memory.left = 0;
    test.source.behind.remove().answer();
    memory.left = Integer.MAX_VALUE;

    assertThat(connection.channel.isOpen()).isFalse();
    assertThat(test.source.behind).as("reads for it").isEmpty();
  }

  /** I1: a reset, or a namesake's seek, does not know yet of a consumer that is just coming. */
  @Test
  void shouldSendAConsumerWhatIsAfterItsPositionThoughItWasMovedBackWhileItCame() {
    VirtualCursor position = test.registry.connect("coming", 60, () -> END, 0);
    FanoutConsumer consumer = new FanoutConsumer(7, position, -1, true, owner);
    test.registry.resetAll(END - 2);
    connection.fanout.add(consumer);
    connection.fanout.flow(consumer, 100);
    test.run();
    test.answerAll(END);

    assertThat(connection.received()).containsExactly(END - 2, END - 1);
  }
}
