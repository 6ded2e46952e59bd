/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.history.Event.Contract;
import io.pulsarbroadcast.benchmark.history.Event.Phase;
import io.pulsarbroadcast.benchmark.history.Event.Step;
import io.pulsarbroadcast.benchmark.history.HistoryGenerator.Plant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** I1 to I7: each rule by a history that breaks it, and none by those that break nothing. */
class HistoryCheckerTest {
  private static final int SEEDS = 30;
  private static final Map<Plant, Invariant> INVARIANTS =
      Map.of(
          Plant.LOSS, Invariant.I1,
          Plant.SWAP, Invariant.I2,
          Plant.REGRESSION, Invariant.I5,
          Plant.SILENT_SKIP, Invariant.I6,
          Plant.DIVERGENCE, Invariant.LOG,
          Plant.EARLY_MARK_DELETE, Invariant.I3,
          Plant.OMISSION, Invariant.I4,
          Plant.STARVATION, Invariant.I7,
          Plant.UNCONFIRMED_FAULT, Invariant.VALID);

  private final List<Event> events = new ArrayList<>();
  private final HistoryChecker checker = new HistoryChecker();
  private long millis;

  // --- Generated histories ---------------------------------------------------------------------

  @Test
  void shouldFindNothingInHistoriesThatKeepEveryPromise() {
    for (long seed = 0; seed < 10 * SEEDS; seed++) {
      List<Event> history = HistoryGenerator.history(seed, 600, Plant.NOTHING);
      assertThat(new HistoryChecker().check(history.stream())).as("seed " + seed).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NOTHING")
  void shouldFindExactlyWhatWasPlanted(Plant plant) {
    for (long seed = 0; seed < SEEDS; seed++) {
      List<Event> history = HistoryGenerator.history(seed, 800, plant);
      assertThat(new HistoryChecker().check(history.stream()))
          .as("seed " + seed)
          .singleElement()
          .satisfies(
              violation -> {
                assertThat(violation.invariant()).isEqualTo(INVARIANTS.get(plant));
                assertThat(violation.lines())
                    .isNotEmpty()
                    .isSorted()
                    .allMatch(line -> line >= 1 && line <= history.size());
              });
    }
  }

  /** What everybody has acknowledged is forgotten, however long it goes on. */
  @Test
  void shouldHoldLittleAfterAMillionEvents() {
    int[] most = {0};
    long[] count = {0};
    int consumers = 20;
    HistoryGenerator.generateSteady(
        1_000_000,
        consumers,
        event -> {
          checker.take(event);
          if (++count[0] % 10_000 == 0) {
            most[0] = Math.max(most[0], checker.size());
          }
        });

    assertThat(checker.finish()).isEmpty();
    assertThat(count[0]).isGreaterThan(1_000_000);
    // A window of acknowledgements per consumer, and what is published between two clean-ups.
    assertThat(most[0]).isBetween(consumers, 5_000);
  }

  // --- Histories by hand -----------------------------------------------------------------------

  private interface Made {
    Event at(long line, long micros);
  }

  private void add(Made made) {
    events.add(made.at(events.size() + 1, millis * 1_000));
  }

  private void start() {
    add((l, m) -> new Event.Start(l, m, 1_000, 500, 5_000, true));
  }

  private void subscribe(String name, int incarnation) {
    subscribe(name, incarnation, Contract.ORDERED);
  }

  private void subscribe(String name, int incarnation, Contract contract) {
    add((l, m) -> new Event.Subscribe(l, m, Phase.INVOKED, name, incarnation, contract));
    add((l, m) -> new Event.Subscribe(l, m, Phase.OK, name, incarnation, contract));
  }

  private void publish(int number) {
    add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", number, null));
    add((l, m) -> new Event.Publish(l, m, Phase.OK, "producer", number, Id.of(7, number)));
  }

  /** Of so many messages, each of which {@code a} is sent. */
  private void startWithMessages(int count) {
    start();
    subscribe("a", 1);
    for (int number = 1; number <= count; number++) {
      publish(number);
      deliver("a", 1, number);
    }
  }

  private void deliver(String name, int incarnation, int number) {
    deliver(name, incarnation, Id.of(7, number), 0, number);
  }

  private void deliver(String name, int incarnation, Id id, int count, int payload) {
    add((l, m) -> new Event.Delivery(l, m, name, incarnation, "b", id, count, payload));
  }

  private void acknowledge(String name, int incarnation, int number, boolean receipt) {
    Id id = Id.of(7, number);
    add((l, m) -> new Event.Ack(l, m, Phase.INVOKED, name, incarnation, id, true, true));
    if (receipt) {
      add((l, m) -> new Event.Ack(l, m, Phase.OK, name, incarnation, id, true, true));
    }
  }

  private void individually(String name, int incarnation, int number) {
    for (Phase phase : List.of(Phase.INVOKED, Phase.OK)) {
      add((l, m) -> new Event.Ack(l, m, phase, name, incarnation, Id.of(7, number), false, true));
    }
  }

  private void fault(boolean crash, Step... steps) {
    fault(1, crash, steps);
  }

  private void fault(int number, boolean crash, Step... steps) {
    for (Step step : steps) {
      add((l, m) -> new Event.Fault(l, m, step, number, "kill", crash));
    }
  }

  private void wholeFault(boolean crash) {
    fault(crash, Step.BEGUN, Step.CONFIRMED, Step.HEALED);
  }

  private void skip(int upTo) {
    add((l, m) -> new Event.Skip(l, m, Id.of(7, upTo)));
  }

  private void skipCount(long entries) {
    add((l, m) -> new Event.SkipCount(l, m, "b", entries));
  }

  private void markDelete(int number) {
    add((l, m) -> new Event.MarkDelete(l, m, m, Id.of(7, number)));
  }

  private void seek(Phase phase, int to) {
    add(
        (l, m) ->
            new Event.Seek(l, m, phase, "a", 1, phase == Phase.INVOKED ? Id.of(7, to) : null));
  }

  private void unsubscribe(Phase phase) {
    add((l, m) -> new Event.Unsubscribe(l, m, phase, "a", 1));
  }

  private void end() {
    millis += 60_000;
    add((l, m) -> new Event.SkipCount(l, m, "b", 0));
  }

  private List<String> check() {
    return checker.check(events.stream()).stream().map(Violation::toString).toList();
  }

  /** Of the history so far, which may go on. */
  private void assertEndsTooEarly() {
    assertThat(new HistoryChecker().check(events.stream()))
        .singleElement()
        .asString()
        .endsWith("The history ends too early to say whether a starves.");
  }

  @Test
  void shouldSayWhatWasLostAndWhichEventsContradict() {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 2);

    assertThat(check())
        .containsExactly(
            "I1, line 5 and 8: 1 message, the first 7:1, not sent to a, though a later one was.");
  }

  @Test
  void shouldMissAMessageOfUnknownFateOnceSomebodyHasSeenIt() {
    start();
    subscribe("a", 1);
    subscribe("b", 1);
    add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", 1, null));
    add((l, m) -> new Event.Publish(l, m, Phase.UNKNOWN, "producer", 1, null));
    publish(2);
    deliver("b", 1, 2);
    deliver("a", 1, 1);
    deliver("a", 1, 2);

    assertThat(check())
        .containsExactly(
            "I1, line 10 and 11: 1 message, the first 7:1, not sent to b, though a later one was.");
  }

  @Test
  void shouldMissAMessageWhoseAnswerComesAfterALaterOneWasSent() {
    start();
    subscribe("a", 1);
    add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", 1, null));
    add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", 2, null));
    deliver("a", 1, 2);
    add((l, m) -> new Event.Publish(l, m, Phase.OK, "producer", 1, Id.of(7, 1)));
    add((l, m) -> new Event.Publish(l, m, Phase.OK, "producer", 2, Id.of(7, 2)));

    assertThat(check())
        .containsExactly(
            "I1, line 6 and 7: 1 message, the first 7:1, not sent to a, though a later one was.");
  }

  @Test
  void shouldNotMissAMessageOfUnknownFateThatNobodyHasSeen() {
    start();
    subscribe("a", 1);
    add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", 1, null));
    add((l, m) -> new Event.Publish(l, m, Phase.UNKNOWN, "producer", 1, null));
    publish(2);
    deliver("a", 1, 2);
    end();

    assertThat(check()).isEmpty();
  }

  /** The order of lines decides, not the time. */
  @Test
  void shouldOrderEventsOfOneTimeByTheirLines() {
    start();
    add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", 1, null));
    subscribe("a", 1);
    add((l, m) -> new Event.Publish(l, m, Phase.OK, "producer", 1, Id.of(7, 1)));
    publish(2);
    deliver("a", 1, 2);
    end();

    assertThat(check()).as("message 1 may be older than the position").isEmpty();
  }

  @Test
  void shouldAllowDuplicatesOfAtLeastOnce() {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 1);
    deliver("a", 1, 2);
    acknowledge("a", 1, 1, true);
    acknowledge("a", 1, 2, false);
    subscribe("a", 2);
    deliver("a", 2, 2);
    // The producer has sent it again, so it is in the topic twice.
    deliver("a", 2, Id.of(7, 3), 0, 2);
    end();

    assertThat(check()).isEmpty();
    assertThat(checker.summary().copies()).isEqualTo(1);
  }

  @Test
  void shouldFindDisorderInARedelivery() {
    startWithMessages(3);
    subscribe("a", 2);
    deliver("a", 2, 1);
    deliver("a", 2, 3);
    deliver("a", 2, 2);

    assertThat(check()).containsExactly("I2, line 16 and 17: a was sent 7:2 after 7:3.");
  }

  @Test
  void shouldLetAnUnorderedConsumerHaveSingleMessagesAgain() {
    start();
    subscribe("a", 1, Contract.UNORDERED);
    publish(1);
    deliver("a", 1, 1);
    publish(2);
    deliver("a", 1, 2);
    publish(3);
    deliver("a", 1, 3);
    deliver("a", 1, Id.of(7, 1), 1, 1);
    deliver("a", 1, Id.of(7, 3), 1, 3);

    assertThat(check()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAllowARepetitionWithinTheWindowOfACrashOnly(boolean crash) {
    startWithMessages(1);
    acknowledge("a", 1, 1, true);
    millis += 1_400;
    wholeFault(crash);
    subscribe("a", 2);
    deliver("a", 2, 1);

    if (crash) {
      assertThat(check()).isEmpty();
    } else {
      assertThat(check())
          .containsExactly(
              "I5, line 7 and 8 and 14: a was sent 7:1 again, 1,400 ms after it had acknowledged"
                  + " it, which no crash explains.");
    }
    assertThat(checker.summary().faults())
        .singleElement()
        .satisfies(
            report -> {
              assertThat(report.cameAgain()).isEqualTo(1);
              assertThat(report.couldComeAgain()).isEqualTo(crash ? 1 : 0);
              assertThat(report.oldestMillis()).isEqualTo(1_400);
            });
  }

  @Test
  void shouldFindARepetitionAfterACrashThatIsOlderThanTheWindow() {
    startWithMessages(1);
    acknowledge("a", 1, 1, true);
    millis += 1_600;
    wholeFault(true);
    subscribe("a", 2);
    deliver("a", 2, 1);

    assertThat(check()).singleElement().asString().startsWith("I5, line 7 and 8 and 14:");
  }

  /** A broker that has survived a crash of something else has stored it since. */
  @ParameterizedTest
  @CsvSource({"1400, false, 0", "1600, false, 1", "2400, true, 0", "2600, true, 1"})
  void shouldFindARepetitionOfWhatWasAcknowledgedInACrashThatItsConnectionOutlived(
      int millisAfter, boolean anotherAfterOneSecond, int found) {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 1);
    fault(true, Step.BEGUN);
    individually("a", 1, 1);
    millis += 3_000;
    fault(true, Step.CONFIRMED, Step.HEALED);
    long healedMillis = millis;
    if (anotherAfterOneSecond) {
      millis += 1_000;
      fault(2, true, Step.values());
    }
    millis = healedMillis + millisAfter;
    deliver("a", 1, 2);
    fault(3, false, Step.values());
    subscribe("a", 2);
    deliver("a", 2, 1);
    deliver("a", 2, 2);

    assertThat(check()).hasSize(found).allSatisfy(each -> assertThat(each).startsWith("I5"));
  }

  /** Without receipts, one that arrived long before its connection ended was taken. */
  @ParameterizedTest
  @ValueSource(ints = {1_400, 1_600})
  void shouldTakeAnOldAcknowledgementWithoutReceiptsForTaken(int age) {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 1);
    add((l, m) -> new Event.Ack(l, m, Phase.INVOKED, "a", 1, Id.of(7, 1), false, false));
    millis += age;
    deliver("a", 1, 2);
    subscribe("a", 2);
    deliver("a", 2, 1);
    deliver("a", 2, 2);

    assertThat(check()).hasSize(age > 1_500 ? 1 : 0).allMatch(found -> found.startsWith("I5"));
  }

  /** Nothing was sent to it since, but its connection lived until the fault. */
  @ParameterizedTest
  @ValueSource(ints = {1_400, 1_900})
  void shouldTakeAnOldAcknowledgementForTakenThoughNothingWasSentSince(int age) {
    start();
    millis += 1;
    subscribe("a", 1);
    publish(1);
    deliver("a", 1, 1);
    add((l, m) -> new Event.Ack(l, m, Phase.INVOKED, "a", 1, Id.of(7, 1), true, false));
    millis += age;
    wholeFault(true);
    subscribe("a", 2);
    deliver("a", 2, 1);

    assertThat(check()).hasSize(age > 1_500 ? 1 : 0).allMatch(found -> found.startsWith("I5"));
  }

  /** A fault may have ended its connection, which it need not have noticed when the next begins. */
  @Test
  void shouldNotTakeAConnectionForAliveOnlyBecauseNobodyHasSubscribedAgain() {
    start();
    millis += 1;
    subscribe("a", 1);
    publish(1);
    deliver("a", 1, 1);
    add((l, m) -> new Event.Ack(l, m, Phase.INVOKED, "a", 1, Id.of(7, 1), true, false));
    millis += 1_000;
    wholeFault(false);
    millis += 1_000;
    for (Step step : Step.values()) {
      add((l, m) -> new Event.Fault(l, m, step, 2, "unload", false));
    }
    subscribe("a", 2);
    deliver("a", 2, 1);

    assertThat(check()).isEmpty();
  }

  @Test
  void shouldTakeAReceiptThatComesWhenTheNextIncarnationHasSubscribed() {
    startWithMessages(1);
    acknowledge("a", 1, 1, false);
    subscribe("a", 2);
    add((l, m) -> new Event.Ack(l, m, Phase.OK, "a", 1, Id.of(7, 1), true, true));
    deliver("a", 2, 1);

    assertThat(check())
        .containsExactly(
            "I5, line 7 and 10 and 11: a was sent 7:1 again, 0 ms after it had acknowledged it,"
                + " which no crash explains.");
  }

  /** Of the acknowledgement before, whose message came again and was acknowledged again. */
  @Test
  void shouldNotTakeAReceiptForThatOfAnotherIncarnation() {
    startWithMessages(1);
    acknowledge("a", 1, 1, false);
    subscribe("a", 2);
    deliver("a", 2, 1);
    acknowledge("a", 2, 1, false);
    add((l, m) -> new Event.Ack(l, m, Phase.OK, "a", 1, Id.of(7, 1), true, true));
    subscribe("a", 3);
    deliver("a", 3, 1);

    assertThat(check()).isEmpty();
  }

  @Test
  void shouldCountWhatIsAcknowledgedUntilACrashIsOverAsWhatCouldComeAgain() {
    startWithMessages(3);
    acknowledge("a", 1, 1, false);
    fault(true, Step.BEGUN);
    acknowledge("a", 1, 2, false);
    fault(true, Step.CONFIRMED, Step.HEALED);
    acknowledge("a", 1, 3, false);

    assertThat(check()).isEmpty();
    assertThat(checker.summary().faults())
        .singleElement()
        .satisfies(report -> assertThat(report.couldComeAgain()).isEqualTo(2));
  }

  /** Each time its acknowledgement may have been under way, but a kill explains only one. */
  @Test
  void shouldSayWhenMoreCameAgainAfterACrashThanCould() {
    startWithMessages(1);
    acknowledge("a", 1, 1, false);
    wholeFault(true);
    millis += 1;
    for (int incarnation = 2; incarnation <= 3; incarnation++) {
      subscribe("a", incarnation);
      deliver("a", incarnation, 1);
      acknowledge("a", incarnation, 1, false);
      boolean isFirst = incarnation == 2;
      assertThat(new HistoryChecker().check(events.stream())).isEmpty();
      HistoryChecker again = new HistoryChecker();
      again.check(events.stream());
      assertThat(again.summary().faults())
          .singleElement()
          .satisfies(report -> assertThat(report.isWithinBound()).isEqualTo(isFirst));
    }
  }

  /** The second began before the first was over, and was over before it. */
  @Test
  void shouldRememberACrashDuringWhichThereWasAnother() {
    start();
    subscribe("a", 1);
    publish(1);
    fault(true, Step.BEGUN);
    fault(2, true, Step.values());
    millis += 2_000;
    deliver("a", 1, 1);
    acknowledge("a", 1, 1, true);
    millis += 2_000;
    fault(true, Step.CONFIRMED, Step.HEALED);
    subscribe("a", 2);
    deliver("a", 2, 1);

    assertThat(check()).isEmpty();
  }

  /** It may be sent as a whole again, although what was sent of it is acknowledged. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldTakeABatchForAcknowledgedWhenAllOfItIs(int sent) {
    add((l, m) -> new Event.Start(l, m, 1_000, 500, 5_000, false));
    subscribe("a", 1);
    for (int i = 0; i < 3; i++) {
      Id id = new Id(7, 1, i);
      int payload = i;
      add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", payload, null));
      add((l, m) -> new Event.Publish(l, m, Phase.OK, "producer", payload, id));
    }
    for (int i = 0; i < sent; i++) {
      Id id = new Id(7, 1, i);
      deliver("a", 1, id, 0, i);
      add((l, m) -> new Event.Ack(l, m, Phase.INVOKED, "a", 1, id, false, true));
      add((l, m) -> new Event.Ack(l, m, Phase.OK, "a", 1, id, false, true));
    }
    subscribe("a", 2);
    for (int i = 0; i < 3; i++) {
      deliver("a", 2, new Id(7, 1, i), 0, i);
    }

    assertThat(check()).hasSize(sent == 3 ? 1 : 0).allMatch(found -> found.startsWith("I5"));
  }

  @Test
  void shouldAllowARepetitionOfWhatHasNotGotTheReceiptItAskedFor() {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 1);
    acknowledge("a", 1, 1, false);
    millis += 5_000;
    deliver("a", 1, 2);
    wholeFault(false);
    subscribe("a", 2);
    deliver("a", 2, 1);
    deliver("a", 2, 2);

    assertThat(check()).isEmpty();
  }

  /** One that is never answered would excuse that its message comes again. */
  @ParameterizedTest
  @ValueSource(ints = {29_900, 30_100})
  void shouldMissAReceiptOnAConnectionThatLivesOn(int later) {
    startWithMessages(1);
    acknowledge("a", 1, 1, false);
    publish(2);
    millis += later;
    deliver("a", 1, 2);
    acknowledge("a", 1, 2, true);

    assertThat(check())
        .containsExactlyElementsOf(
            later < 30_000
                ? List.of()
                : List.of(
                    "I5, line 7 and 10: a has no receipt for 7:1, 30,100 ms after it had acknowledged"
                        + " it, and is still sent messages."));
  }

  @Test
  void shouldNotMissAReceiptOfAnIncarnationThatHasEnded() {
    startWithMessages(1);
    acknowledge("a", 1, 1, false);
    subscribe("a", 2);
    millis += 60_000;
    deliver("a", 2, 1);
    acknowledge("a", 2, 1, true);

    assertThat(check()).isEmpty();
  }

  /** However much everybody was sent since. */
  @Test
  void shouldCompareWhatComesAgainWithWhatItWas() {
    start();
    subscribe("a", 1);
    publish(1);
    deliver("a", 1, 1);
    for (int number = 2; number <= 1_000; number++) {
      publish(number);
      deliver("a", 1, number);
      individually("a", 1, number);
      millis += 10;
    }
    subscribe("a", 2);
    deliver("a", 2, Id.of(7, 1), 0, 2);

    assertThat(check())
        .containsExactly("LOG, line 5 and 5,004: The id 7:1 has the payload 1 and the payload 2.");
  }

  /** The broker knows that 2 is acknowledged, but not by the acknowledgement that covers 1 too. */
  @Test
  void shouldNotConcludeFromOneMessageThatACumulativeAcknowledgementWasTaken() {
    startWithMessages(3);
    add((l, m) -> new Event.Ack(l, m, Phase.INVOKED, "a", 1, Id.of(7, 2), false, true));
    add((l, m) -> new Event.Ack(l, m, Phase.OK, "a", 1, Id.of(7, 2), false, true));
    acknowledge("a", 1, 2, false);
    for (int incarnation = 2; incarnation <= 3; incarnation++) {
      subscribe("a", incarnation);
      deliver("a", incarnation, 1);
      deliver("a", incarnation, 3);
    }

    assertThat(check()).isEmpty();
  }

  @Test
  void shouldGiveANameThatUnsubscribedANewBeginning() {
    startWithMessages(1);
    publish(2);
    add((l, m) -> new Event.Unsubscribe(l, m, Phase.INVOKED, "a", 1));
    add((l, m) -> new Event.Unsubscribe(l, m, Phase.OK, "a", 1));
    publish(3);
    subscribe("a", 2);
    publish(4);
    deliver("a", 2, 4);
    add((l, m) -> new Event.MarkDelete(l, m, m, Id.of(7, 3)));
    end();

    assertThat(check()).isEmpty();
  }

  /** It is registered all the time: what it gets and acknowledges meanwhile counts. */
  @Test
  void shouldBookWhatHappensDuringAnUnsubscribeThatFails() {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 1);
    unsubscribe(Phase.INVOKED);
    acknowledge("a", 1, 1, true);
    markDelete(2);
    deliver("a", 1, 2);
    acknowledge("a", 1, 2, true);
    unsubscribe(Phase.FAILED);
    markDelete(2);
    subscribe("a", 2);
    publish(3);
    deliver("a", 2, 3);
    end();

    assertThat(check()).isEmpty();
  }

  @Test
  void shouldExpectWhatWasSentDuringAnUnsubscribeThatFailed() {
    start();
    subscribe("a", 1);
    publish(1);
    unsubscribe(Phase.INVOKED);
    deliver("a", 1, 1);
    unsubscribe(Phase.FAILED);
    subscribe("a", 2);
    publish(2);
    deliver("a", 2, 2);

    assertThat(check()).singleElement().asString().startsWith("I4, line 7 and 13:");
  }

  /** What ends an incarnation is about that one, even if it is written late. */
  @ParameterizedTest
  @ValueSource(strings = {"closed", "unsubscribed", "expired"})
  void shouldNotEndAnIncarnationByWhatIsAboutTheOneBefore(String ended) {
    startWithMessages(1);
    acknowledge("a", 1, 1, true);
    if (ended.equals("unsubscribed")) {
      unsubscribe(Phase.INVOKED);
    }
    add((l, m) -> new Event.Subscribe(l, m, Phase.INVOKED, "a", 2, Contract.ORDERED));
    switch (ended) {
      case "closed" -> add((l, m) -> new Event.Closed(l, m, "a", 1));
      case "unsubscribed" -> unsubscribe(Phase.OK);
      default -> add((l, m) -> new Event.Expired(l, m, "a"));
    }
    add((l, m) -> new Event.Subscribe(l, m, Phase.OK, "a", 2, Contract.ORDERED));
    publish(2);
    publish(3);
    deliver("a", 2, 3);
    end();

    assertThat(check()).singleElement().asString().contains("7:2, not sent to a, though");
  }

  /** A seek that fails moves nobody, but one back may repeat messages. */
  @ParameterizedTest
  @ValueSource(ints = {1, 9})
  void shouldLeaveAConsumerWhereItWasWhenItsSeekFails(int to) {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 1);
    seek(Phase.INVOKED, to);
    seek(Phase.FAILED, to);
    deliver("a", 1, 2);
    subscribe("a", 2);
    deliver("a", 2, 1);
    deliver("a", 2, 2);
    end();

    assertThat(check()).isEmpty();
  }

  @Test
  void shouldExpectWhatWasUnacknowledgedWhenASeekFailed() {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 1);
    seek(Phase.INVOKED, 9);
    seek(Phase.FAILED, 9);
    subscribe("a", 2);
    deliver("a", 2, 2);

    assertThat(check()).singleElement().asString().startsWith("I4, line 8 and 13:");
  }

  /** Those from the place on that it sought; and no others. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldLetAFailedSeekBackRepeatWhatIsAcknowledged(int to) {
    start();
    subscribe("a", 1);
    for (int number = 1; number <= 2; number++) {
      publish(number);
      deliver("a", 1, number);
      acknowledge("a", 1, number, true);
    }
    seek(Phase.INVOKED, to);
    seek(Phase.FAILED, to);
    subscribe("a", 2);
    deliver("a", 2, 1);
    deliver("a", 2, 2);

    assertThat(check()).hasSize(to - 1).allMatch(found -> found.startsWith("I5"));
  }

  @Test
  void shouldLetASeekRepeatWhatIsAcknowledged() {
    start();
    subscribe("a", 1);
    for (int number = 1; number <= 3; number++) {
      publish(number);
      deliver("a", 1, number);
      acknowledge("a", 1, number, true);
    }
    add((l, m) -> new Event.Seek(l, m, Phase.INVOKED, "a", 1, Id.of(7, 2)));
    add((l, m) -> new Event.Seek(l, m, Phase.OK, "a", 1, null));
    subscribe("a", 2);
    deliver("a", 2, 3);

    assertThat(check()).singleElement().asString().contains("1 message, the first 7:2, not sent");
  }

  @Test
  void shouldFindOnePayloadTooManyAndOneProducerOutOfOrder() {
    start();
    subscribe("a", 1);
    for (int number : new int[] {1, 2}) {
      add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", number, null));
    }
    add((l, m) -> new Event.Publish(l, m, Phase.OK, "producer", 2, Id.of(7, 1)));
    add((l, m) -> new Event.Publish(l, m, Phase.OK, "producer", 1, Id.of(7, 2)));
    deliver("a", 1, 1);
    deliver("a", 1, Id.of(7, 2), 0, 1);

    assertThat(check())
        .containsExactly(
            "LOG, line 6 and 7: The producer producer published payload 2 after payload 1, but its"
                + " id 7:1 is not after 7:2.",
            "LOG, line 6 and 8: The id 7:1 has the payload 2 and the payload 1.");
  }

  @Test
  void shouldFindAMessageThatNobodyPublished() {
    startWithMessages(1);
    deliver("a", 1, Id.of(7, 2), 0, 99);

    assertThat(check())
        .containsExactly("LOG, line 7: The id 7:2 has the payload 99, which nobody has published.");
  }

  @Test
  void shouldFindAMarkDeletePositionAheadOfTheTopic() {
    start();
    subscribe("a", 1);
    add((l, m) -> new Event.MarkDelete(l, m, m, Id.of(7, 1)));
    publish(1);
    deliver("a", 1, 1);

    assertThat(check())
        .containsExactly(
            "I3, line 4 and 6: The mark-delete position 7:1 was not before 7:1, which was not"
                + " published yet.");
  }

  /** What was asked for before the seek was done says nothing about what is due since. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldCompareAMarkDeletePositionWithWhatWasKnownWhenItWasAskedFor(boolean before) {
    startWithMessages(1);
    acknowledge("a", 1, 1, true);
    add((l, m) -> new Event.Seek(l, m, Phase.INVOKED, "a", 1, Id.of(7, 1)));
    long askedMicros = millis * 1_000;
    millis += 10;
    add((l, m) -> new Event.Seek(l, m, Phase.OK, "a", 1, null));
    subscribe("a", 2);
    millis += 1;
    add((l, m) -> new Event.MarkDelete(l, m, before ? askedMicros : m, Id.of(7, 1)));
    deliver("a", 2, 1);

    assertThat(check()).hasSize(before ? 0 : 1).allMatch(found -> found.startsWith("I3"));
  }

  /** Where the consumer is while it moves, nobody knows. */
  @Test
  void shouldNotJudgeAMarkDeletePositionDuringASeek() {
    start();
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 1);
    seek(Phase.INVOKED, 2);
    markDelete(1);
    seek(Phase.OK, 2);
    // Asked for by the same tick of the clock.
    markDelete(2);
    subscribe("a", 2);
    deliver("a", 2, 2);

    assertThat(check()).isEmpty();
  }

  @Test
  void shouldFindASkipThatNobodyAnnounced() {
    start();
    skipCount(0);
    subscribe("a", 1);
    publish(1);
    deliver("a", 1, 1);
    skipCount(500);

    assertThat(check())
        .containsExactly(
            "I6, line 2 and 8: b counts 500 more skipped entries, and nothing was to be skipped.");
  }

  @Test
  void shouldLetTheEntriesOfAPositionThatMayHaveExpiredCount() {
    start();
    skipCount(0);
    subscribe("a", 1);
    publish(1);
    deliver("a", 1, 1);
    add((l, m) -> new Event.Closed(l, m, "a", 1));
    add((l, m) -> new Event.Expired(l, m, "a"));
    skipCount(1);

    assertThat(check()).isEmpty();
  }

  @Test
  void shouldCountFromZeroWhatIsFirstSeenAfterASkip() {
    start();
    subscribe("a", 1);
    for (int number = 1; number <= 3; number++) {
      publish(number);
    }
    skip(2);
    deliver("a", 1, 3);
    skipCount(2);

    assertThat(check()).isEmpty();
  }

  /** Nobody knows which of the two was counted; both together were, or one was not. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldExplainByOneCountAllSkipsSinceTheSampleBefore(int counted) {
    start();
    skipCount(0);
    subscribe("a", 1);
    publish(1);
    publish(2);
    skip(1);
    deliver("a", 1, 2);
    publish(3);
    publish(4);
    skip(3);
    deliver("a", 1, 4);
    skipCount(counted);

    assertThat(check()).hasSize(2 - counted).allMatch(found -> found.startsWith("I6"));
  }

  @Test
  void shouldCountASkipOncePerEntryAndConsumer() {
    start();
    add((l, m) -> new Event.SkipCount(l, m, "b", 40));
    subscribe("a", 1);
    for (int number = 1; number <= 4; number++) {
      publish(number);
    }
    deliver("a", 1, 1);
    add((l, m) -> new Event.Skip(l, m, Id.of(7, 3)));
    deliver("a", 1, 4);
    // The broker has started again, and counted three: 1, which is unacknowledged, 2 and 3.
    add((l, m) -> new Event.SkipCount(l, m, "b", 3));

    assertThat(check()).isEmpty();
  }

  @Test
  void shouldNotTakeACountForAnExplanationOfWhatNobodySkipped() {
    start();
    add((l, m) -> new Event.SkipCount(l, m, "b", 0));
    subscribe("a", 1);
    publish(1);
    publish(2);
    deliver("a", 1, 2);
    add((l, m) -> new Event.SkipCount(l, m, "b", 1));

    assertThat(check())
        .extracting(found -> found.substring(0, 2))
        .as("it is not sent, and something is counted that nobody announced")
        .containsExactly("I1", "I6");
  }

  // --- Histories that say nothing --------------------------------------------------------------

  @Test
  void shouldCallAHistoryWithoutConsumersInvalid() {
    start();
    publish(1);

    assertThat(check()).containsExactly("VALID: Nothing was delivered.");
  }

  @Test
  void shouldCallAHistoryWithoutPublishesInvalid() {
    start();
    subscribe("a", 1);
    add((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", 1, null));
    deliver("a", 1, 1);

    assertThat(check()).containsExactly("VALID: No publish was acknowledged.");
  }

  @Test
  void shouldNotJudgeStarvationBeforePatienceOrHealing() {
    startWithMessages(1);
    publish(2);
    assertEndsTooEarly();

    fault(true, Step.BEGUN, Step.CONFIRMED);
    end();
    assertThat(new HistoryChecker().check(events.stream()))
        .singleElement()
        .asString()
        .contains("Fault 1 (kill) is not over");
  }

  @Test
  void shouldSayOfWhoDoesNotComeBackThatItStarves() {
    startWithMessages(1);
    add((l, m) -> new Event.Subscribe(l, m, Phase.INVOKED, "a", 2, Contract.ORDERED));
    publish(2);
    end();

    assertThat(check())
        .containsExactly(
            "I7, line 6 and 7: 2 messages, the first 7:1, not sent to a, which did not come back.");
  }

  @ParameterizedTest
  @EnumSource
  void shouldSayOfWhoIsNotSentWhatItAskedForAgainThatItStarves(Contract contract) {
    start();
    subscribe("a", 1, contract);
    publish(1);
    deliver("a", 1, 1);
    millis += 60_000;
    add((l, m) -> new Event.Redeliver(l, m, "a", 1));
    assertEndsTooEarly();
    end();

    assertThat(check())
        .containsExactly(
            "I7, line 6 and 7: 1 message, the first 7:1, not sent to a until the end.");
  }

  /** As when its topic is loaded and closed again and again. */
  @Test
  void shouldSayOfWhoComesBackAgainAndAgainAndIsSentNothingThatItStarves() {
    startWithMessages(1);
    publish(2);
    for (int incarnation = 2; incarnation < 60; incarnation++) {
      millis += 500;
      subscribe("a", incarnation);
    }

    assertThat(check())
        .containsExactly(
            "I7, line 6 and 124: 2 messages, the first 7:1, not sent to a until the end.");
  }

  @Test
  void shouldNotSayOfWhoWasClosedMeanwhileThatItStarves() {
    startWithMessages(1);
    acknowledge("a", 1, 1, true);
    subscribe("a", 2);
    add((l, m) -> new Event.Closed(l, m, "a", 2));
    publish(2);
    millis += 60_000;
    subscribe("a", 3);

    assertEndsTooEarly();
  }

  @Test
  void shouldSayOfWhoAsksAgainAndAgainThatItStarves() {
    startWithMessages(1);
    for (int asks = 0; asks < 60; asks++) {
      add((l, m) -> new Event.Redeliver(l, m, "a", 1));
      millis += 500;
    }

    assertThat(check())
        .containsExactly(
            "I7, line 6 and 66: 1 message, the first 7:1, not sent to a until the end.");
  }

  @Test
  void shouldSayOfWhoDoesNotComeBackForWhatItHasNotAcknowledgedThatItStarves() {
    startWithMessages(1);
    millis += 60_000;
    add((l, m) -> new Event.Subscribe(l, m, Phase.INVOKED, "a", 2, Contract.ORDERED));
    assertEndsTooEarly();

    for (int incarnation = 3; incarnation < 60; incarnation++) {
      int number = incarnation;
      millis += 500;
      add((l, m) -> new Event.Subscribe(l, m, Phase.FAILED, "a", number - 1, Contract.ORDERED));
      add((l, m) -> new Event.Subscribe(l, m, Phase.INVOKED, "a", number, Contract.ORDERED));
    }
    assertThat(check())
        .containsExactly(
            "I7, line 6 and 121: 1 message, the first 7:1, not sent to a, which did not come back.");
  }

  @Test
  void shouldNotSayOfWhoComesBackMuchLaterThatItStarves() {
    startWithMessages(1);
    add((l, m) -> new Event.Closed(l, m, "a", 1));
    publish(2);
    millis += 60_000;
    add((l, m) -> new Event.Subscribe(l, m, Phase.INVOKED, "a", 2, Contract.ORDERED));

    assertEndsTooEarly();
  }

  @Test
  void shouldNotSayOfWhoHasJustSoughtThatItStarves() {
    start();
    subscribe("b", 1);
    publish(1);
    deliver("b", 1, 1);
    acknowledge("b", 1, 1, true);
    subscribe("a", 1);
    millis += 60_000;
    add((l, m) -> new Event.Seek(l, m, Phase.INVOKED, "a", 1, Id.of(7, 1)));
    add((l, m) -> new Event.Seek(l, m, Phase.OK, "a", 1, Id.of(7, 1)));
    subscribe("a", 2);

    assertEndsTooEarly();
  }

  /** A move in order has stored it, and the next incarnation has shown that. */
  @Test
  void shouldNotTakeWhatWasStoredBeforeForLostByACrash() {
    startWithMessages(1);
    acknowledge("a", 1, 1, true);
    millis += 10_000;
    wholeFault(false);
    subscribe("a", 2);
    publish(2);
    deliver("a", 2, 2);
    fault(2, true, Step.BEGUN, Step.CONFIRMED, Step.HEALED);
    subscribe("a", 3);
    deliver("a", 3, 1);
    deliver("a", 3, 2);

    assertThat(check())
        .containsExactly(
            "I5, line 8 and 22: a was sent 7:1 again, which it had acknowledged for good by then.");
  }

  @Test
  void shouldFindRecordingsThatCannotBe() {
    start();
    publish(1);
    deliver("a", 1, 1);
    subscribe("b", 2);
    subscribe("b", 1);
    fault(false, Step.CONFIRMED);
    start();

    assertThat(check())
        .containsExactly(
            "VALID, line 4: a never subscribed.",
            "VALID, line 4: a is sent a message as incarnation 1, which is not subscribed.",
            "VALID, line 7: Incarnation 1 of b begins after incarnation 2.",
            "VALID, line 9: Fault 1 has not begun.",
            "VALID, line 10: A history has one start, which is its first event.");
  }
}
