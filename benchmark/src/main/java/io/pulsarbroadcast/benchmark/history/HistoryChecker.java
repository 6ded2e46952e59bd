/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Event.Ack;
import io.pulsarbroadcast.benchmark.history.Event.Closed;
import io.pulsarbroadcast.benchmark.history.Event.Delivery;
import io.pulsarbroadcast.benchmark.history.Event.Expired;
import io.pulsarbroadcast.benchmark.history.Event.Fault;
import io.pulsarbroadcast.benchmark.history.Event.MarkDelete;
import io.pulsarbroadcast.benchmark.history.Event.Phase;
import io.pulsarbroadcast.benchmark.history.Event.Publish;
import io.pulsarbroadcast.benchmark.history.Event.Redeliver;
import io.pulsarbroadcast.benchmark.history.Event.Seek;
import io.pulsarbroadcast.benchmark.history.Event.Skip;
import io.pulsarbroadcast.benchmark.history.Event.SkipCount;
import io.pulsarbroadcast.benchmark.history.Event.Start;
import io.pulsarbroadcast.benchmark.history.Event.Subscribe;
import io.pulsarbroadcast.benchmark.history.Event.Unsubscribe;
import io.pulsarbroadcast.benchmark.history.TopicLog.Message;
import io.pulsarbroadcast.benchmark.history.TopicLog.Seen;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Decides whether a history is what a Broadcast subscription promises. One thread may call it, for
 * one history.
 *
 * <p>The topic is one log, and each name a place in it with exceptions, so that one pass suffices,
 * which holds what some registered consumer has not acknowledged, and acknowledgements for as long
 * as a crash may lose them. What everybody has acknowledged is forgotten: a consumer that seeks
 * back behind that is checked there for order, not for gaps.
 *
 * <p>Where a history does not tell, the consumer is believed: a message published while a consumer
 * subscribed need not reach it, an acknowledgement that was under way may be lost.
 */
public final class HistoryChecker {
  /** How often, in events per consumer, what everybody has acknowledged for good is looked for. */
  private static final int FORGET_EVERY = 16;

  private static final int FORGET_EVERY_AT_LEAST = 1_000;

  /** How much longer a receipt may take: behind messages, 14 s were seen on a busy machine. */
  private static final int RECEIPT_PATIENCE = 6;

  /**
   * What the history has.
   *
   * @param copies messages that the topic has once more, because a producer sent them again
   * @param faults what came again after each
   */
  public record Summary(
      long events,
      long published,
      long deliveries,
      long receipts,
      long copies,
      List<Faults.Report> faults) {}

  private final Findings findings = new Findings();
  private final TopicLog log = new TopicLog(findings);
  private final Faults faults = new Faults();
  private final Map<String, Registration> consumers = new LinkedHashMap<>();
  private Start start = new Start(0, 0, 0, 0, 0, true);
  private MarkDelete highestMark;
  private long events;
  private long published;
  private long deliveries;
  private long receipts;
  private long sinceForgotten;
  private long nowMicros;

  /** Returns what is wrong, in order; empty if nothing is. */
  public List<Violation> check(Stream<Event> history) {
    history.forEach(this::take);
    return finish();
  }

  /** What the history had; after {@link #check}. */
  public Summary summary() {
    return new Summary(events, published, deliveries, receipts, log.copies(), faults.reports());
  }

  void take(Event event) {
    events++;
    nowMicros = event.micros();
    if ((events == 1) != event instanceof Start) {
      findings.invalid(List.of(event.line()), "A history has one start, which is its first event.");
    }
    if (event instanceof Delivery delivery) {
      delivered(delivery);
    } else if (event instanceof Ack ack) {
      acknowledged(ack);
    } else if (event instanceof Publish publish) {
      published(publish);
    } else if (event instanceof Subscribe subscribe) {
      consumers
          .computeIfAbsent(subscribe.name(), name -> new Registration(findings, this::newState))
          .subscribe(subscribe);
    } else if (event instanceof MarkDelete mark) {
      sampled(mark);
    } else if (event instanceof SkipCount count) {
      findings.skipCount(count);
    } else if (event instanceof Skip skip) {
      findings.skip(skip);
    } else if (event instanceof Fault fault) {
      faulted(fault);
    } else if (event instanceof Start first) {
      start = first;
    } else {
      moved(event);
    }
    forget();
  }

  private void moved(Event event) {
    if (event instanceof Redeliver redeliver) {
      ConsumerState consumer = of(redeliver.name(), event).counts(redeliver.incarnation());
      if (consumer != null) {
        consumer.current().redeliver(redeliver);
      }
    } else if (event instanceof Seek seek) {
      of(seek.name(), event).seek(seek);
    } else if (event instanceof Unsubscribe unsubscribe) {
      of(unsubscribe.name(), event).unsubscribe(unsubscribe);
    } else if (event instanceof Closed closed) {
      of(closed.name(), event).closed(closed);
    } else if (event instanceof Expired expired) {
      of(expired.name(), event).expired();
      findings.expired();
    }
  }

  private ConsumerState newState(Subscribe subscribe) {
    return new ConsumerState(
        subscribe,
        log,
        findings,
        faults,
        windowMicros(),
        RECEIPT_PATIENCE * patienceMicros(),
        start.batchIndexAcks());
  }

  private long patienceMicros() {
    return TimeUnit.MILLISECONDS.toMicros(start.patienceMillis());
  }

  private long windowMicros() {
    return TimeUnit.MILLISECONDS.toMicros((long) start.flushMillis() + start.marginMillis());
  }

  /** One that never subscribed makes the history invalid, and is like one that did not succeed. */
  private Registration of(String name, Event event) {
    Registration known = consumers.get(name);
    if (known != null) {
      return known;
    }
    findings.invalid(List.of(event.line()), "%s never subscribed.", name);
    return new Registration(findings, this::newState);
  }

  private Stream<ConsumerState> registered() {
    return consumers.values().stream().map(Registration::registered).filter(Objects::nonNull);
  }

  private void published(Publish publish) {
    published += publish.phase() == Phase.OK ? 1 : 0;
    Message unseen = log.publish(publish);
    if (unseen != null) {
      checkAgainstMarkDelete(unseen);
      registered().forEach(consumer -> consumer.learned(unseen));
    }
  }

  private void delivered(Delivery delivery) {
    deliveries++;
    Id highest = log.highest();
    Seen seen = log.see(delivery);
    Registration registration = of(delivery.name(), delivery);
    if (!registration.mayReceive(delivery.incarnation())) {
      findings.invalid(
          List.of(delivery.line()),
          "%s is sent a message as incarnation %d, which is not subscribed.",
          delivery.name(),
          delivery.incarnation());
    }
    if (seen.isNew()) {
      checkAgainstMarkDelete(seen.message());
    }
    ConsumerState consumer = registration.counts(delivery.incarnation());
    if (seen.isNew() && highest != null && delivery.id().compareTo(highest) < 0) {
      registered()
          .filter(other -> other != consumer)
          .forEach(other -> other.learned(seen.message()));
    }
    if (consumer != null) {
      consumer.delivered(delivery, seen);
    }
  }

  private void sampled(MarkDelete mark) {
    consumers.values().stream()
        .filter(Registration::holdsMarkDelete)
        .forEach(consumer -> consumer.registered().check(mark));
    if (highestMark == null || mark.id().compareTo(highestMark.id()) > 0) {
      highestMark = mark;
    }
  }

  /** Nobody has acknowledged what was not even published. */
  private void checkAgainstMarkDelete(Message message) {
    if (highestMark != null
        && message.invokedLine() > highestMark.line()
        && message.id().compareTo(highestMark.id().endOfEntry()) <= 0) {
      findings.add(
          new Violation(
              Invariant.I3,
              null,
              0,
              message.id(),
              List.of(highestMark.line(), message.line()),
              "The mark-delete position %s was not before %s, which was not published yet."
                  .formatted(highestMark.id(), message.id())));
    }
  }

  private void acknowledged(Ack ack) {
    receipts += ack.phase() == Phase.OK ? 1 : 0;
    Registration registration = of(ack.name(), ack);
    ConsumerState consumer =
        ack.phase() == Phase.OK
            ? registration.countsReceipt(ack.incarnation())
            : registration.counts(ack.incarnation());
    if (consumer != null) {
      consumer.acknowledged(ack);
    }
  }

  private void faulted(Fault fault) {
    boolean begins = fault.step() == Event.Step.BEGUN;
    long since = fault.micros() - windowMicros();
    long couldComeAgain =
        begins && fault.crash()
            ? registered().mapToLong(consumer -> consumer.acksSince(since)).sum()
            : 0;
    if (begins && faults.unhealed() == null) {
      // Who was not active since the last fault may not have noticed that it is disconnected.
      consumers.values().stream()
          .filter(Registration::isConnected)
          .map(registration -> registration.registered().current())
          .filter(incarnation -> incarnation.activeMicros > faults.healedMicros())
          .forEach(incarnation -> incarnation.activeMicros = fault.micros());
    }
    faults.fault(fault, couldComeAgain, findings);
  }

  private void forget() {
    if (++sinceForgotten < Math.max(FORGET_EVERY_AT_LEAST, FORGET_EVERY * consumers.size())) {
      return;
    }
    sinceForgotten = 0;
    Id upTo = log.highest();
    for (Registration registration : consumers.values()) {
      ConsumerState consumer = registration.registered();
      Id settled = consumer == null ? upTo : consumer.settled();
      if (settled == null || upTo == null) {
        return;
      }
      upTo = upTo.orEarlier(settled);
    }
    if (upTo != null) {
      log.forget(upTo);
    }
  }

  // --- The end ---------------------------------------------------------------------------------

  List<Violation> finish() {
    if (published == 0) {
      findings.invalid(List.of(), "No publish was acknowledged.");
    }
    if (deliveries == 0) {
      findings.invalid(List.of(), "Nothing was delivered.");
    }
    faults.finish(findings);
    consumers.values().stream().filter(Registration::wantsMessages).forEach(this::checkStarvation);
    return findings.decide();
  }

  private void checkStarvation(Registration registration) {
    ConsumerState consumer = registration.registered();
    boolean connected = registration.isConnected();
    List<Message> neverSent = consumer.neverSent();
    Collection<Id> notSentAgain = connected ? consumer.notSentAgain() : consumer.unacknowledged();
    if (neverSent.isEmpty() && notSentAgain.isEmpty()) {
      return;
    }
    Fault unhealed = faults.unhealed();
    if (unhealed != null) {
      findings.invalid(
          List.of(unhealed.line()),
          "Fault %d (%s) is not over, so that nobody can say whether %s starves.",
          unhealed.number(),
          unhealed.kind(),
          consumer.name);
      return;
    }
    long knownMicros = neverSent.stream().mapToLong(Message::micros).min().orElse(0);
    Incarnation current = consumer.current();
    long awayMicros = registration.awayMicros();
    if (!isOverPatience(Math.max(knownMicros, connected ? current.waitingMicros : awayMicros))) {
      neverSent = List.of();
    }
    if (!isOverPatience(connected ? current.askedMicros : awayMicros)) {
      notSentAgain = List.of();
    }
    if (neverSent.isEmpty() && notSentAgain.isEmpty()) {
      findings.invalid(
          List.of(events), "The history ends too early to say whether %s starves.", consumer.name);
      return;
    }
    consumer.starved(
        neverSent,
        notSentAgain,
        connected ? waitsSinceLine(consumer, notSentAgain) : registration.attemptedLine(),
        connected ? "not sent to %s until the end" : "not sent to %s, which did not come back");
  }

  /** Whether who waits since then, and since the last fault was over, has waited long enough. */
  private boolean isOverPatience(long sinceMicros) {
    return nowMicros - Math.max(sinceMicros, faults.healedMicros()) >= patienceMicros();
  }

  private static long waitsSinceLine(ConsumerState consumer, Collection<Id> notSentAgain) {
    Incarnation current = consumer.current();
    return notSentAgain.isEmpty() ? current.subscribedLine : current.askedLine;
  }

  /** How many objects it holds, for tests. */
  int size() {
    return log.size()
        + findings.size()
        + faults.size()
        + consumers.values().stream().mapToInt(Registration::size).sum();
  }
}
