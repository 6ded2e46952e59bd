/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Acks.Acked;
import io.pulsarbroadcast.benchmark.history.Event.Ack;
import io.pulsarbroadcast.benchmark.history.Event.Delivery;
import io.pulsarbroadcast.benchmark.history.Event.MarkDelete;
import io.pulsarbroadcast.benchmark.history.Event.Subscribe;
import io.pulsarbroadcast.benchmark.history.TopicLog.Message;
import io.pulsarbroadcast.benchmark.history.TopicLog.Seen;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A registered name: what it was sent, has acknowledged, and is due. Only the checker's thread uses
 * it.
 *
 * <p>Everything from {@code lowest} to {@code furthest} was sent and acknowledged for good, except
 * what is {@code open}, in {@code acks}, or in a gap; everything after {@code furthest} was never
 * sent. So it holds little more than what is unacknowledged.
 */
final class ConsumerState {
  /** A message that was sent, and not acknowledged. */
  private record Sent(long line) {}

  private static final Id FIRST = Id.of(Long.MIN_VALUE, Long.MIN_VALUE);

  final String name;
  private final TopicLog log;
  private final Findings findings;
  private final Faults faults;
  private final Acks acks;
  private final NavigableMap<Id, Sent> open = new TreeMap<>();
  private final MissedMessages missed;
  private Incarnation current;

  /** What is published after this line is due. */
  private long registeredLine;

  /** Since when its position is what is known here: a seek changes it. */
  private long knownMicros;

  /** Whether it was sent something, so that everything after that is due. */
  private boolean begun;

  /** The first that it was sent; null before. */
  private Id lowest;

  private Id furthest;

  /** Of the delivery that was. */
  private long furthestLine;

  /** What may come again after a seek that failed, though it is acknowledged; null if nothing. */
  private Id repeatedFrom;

  private Id repeatedTo;

  ConsumerState(
      Subscribe registered,
      TopicLog log,
      Findings findings,
      Faults faults,
      long windowMicros,
      long patienceMicros,
      boolean batchIndexAcks) {
    this.name = registered.name();
    this.log = log;
    this.findings = findings;
    this.faults = faults;
    this.acks =
        new Acks(faults, windowMicros, patienceMicros, !batchIndexAcks, this::isEntryAcknowledged);
    this.missed = new MissedMessages(findings);
    startAnywhere(registered.line(), registered.micros());
    subscribed(registered);
  }

  void subscribed(Subscribe subscribed) {
    current = new Incarnation(subscribed, current);
  }

  Incarnation current() {
    return current;
  }

  /** It moved, nobody knows where to: what it is sent first will tell. */
  void startAnywhere(long line, long micros) {
    registeredLine = line;
    knownMicros = micros;
    begun = false;
    lowest = null;
    furthest = log.highest();
    repeatedFrom = null;
    open.clear();
    acks.clear();
    missed.clear();
  }

  /** It moved: this message and everything after it is due. */
  void startAt(Id id, long line, long micros) {
    startAnywhere(line, micros);
    begun = true;
    lowest = id;
    furthest = id.justBefore();
  }

  /** It did not move, but from this message on, which may be null, what it had may come again. */
  void seekFailed(Id to, long micros) {
    Id from = to == null ? FIRST : to;
    knownMicros = micros;
    acks.clearFrom(from);
    missed.clearFrom(from);
    if (furthest != null) {
      repeatedFrom = repeatedFrom == null || from.compareTo(repeatedFrom) < 0 ? from : repeatedFrom;
      repeatedTo = furthest;
    }
  }

  private boolean mayBeRepeated(Id id) {
    return repeatedFrom != null && id.compareTo(repeatedFrom) >= 0 && id.compareTo(repeatedTo) <= 0;
  }

  // --- Deliveries ------------------------------------------------------------------------------

  void delivered(Delivery delivery, Seen seen) {
    current.delivered(delivery);
    take(delivery, seen);
    acks.settle(delivery.micros());
    checkReceipts(delivery);
  }

  private void checkReceipts(Delivery delivery) {
    long micros = delivery.micros();
    for (Acked late = acks.unanswered(micros); late != null; late = acks.unanswered(micros)) {
      findings.add(
          violation(
              Invariant.I5,
              late.id(),
              List.of(late.line(), delivery.line()),
              String.format(
                  Locale.ROOT,
                  "%s has no receipt for %s, %,d ms after it had acknowledged it, and is still sent"
                      + " messages.",
                  name,
                  late.id(),
                  (micros - late.micros()) / 1_000)));
    }
  }

  private void take(Delivery delivery, Seen seen) {
    Id id = delivery.id();
    boolean again = !current.isOrdered() && delivery.redeliveryCount() > 0;
    if (current.last != null && id.compareTo(current.last) <= 0 && !again) {
      if (current.isOrdered() && current.rewinds > 0) {
        current.rewinds--;
        current.last = null;
      } else {
        outOfOrder(delivery, current.lastLine, "%s was sent %s after %s");
        if (missed.sent(id, true) != null || seen.isNew()) {
          arrived(delivery);
        }
        return;
      }
    }
    if (current.last == null || id.compareTo(current.last) > 0) {
      passOver(delivery);
      current.sent(delivery);
    }
    book(delivery, seen);
  }

  private void outOfOrder(Delivery delivery, long line, String what) {
    findings.add(
        violation(
            Invariant.I2,
            delivery.id(),
            Stream.of(line, delivery.line()).distinct().toList(),
            (what + ".").formatted(name, delivery.id(), current.last)));
  }

  /** It is sent, for the first time or again, and not acknowledged. */
  private void arrived(Delivery delivery) {
    open.put(delivery.id(), new Sent(delivery.line()));
  }

  /** What is between the last message and this one, and was not sent or not acknowledged. */
  private void passOver(Delivery delivery) {
    Id id = delivery.id();
    NavigableMap<Id, Sent> omitted = open.headMap(id, false);
    if (current.last != null) {
      omitted = omitted.tailMap(current.last, false);
    }
    if (!omitted.isEmpty()) {
      Gap gap =
          gap(
              Invariant.I4,
              delivery.line(),
              "unacknowledged, not sent to the new incarnation of %s");
      omitted.forEach((missing, sent) -> miss(gap, missing, sent));
      omitted.clear();
    }
    acks.omitted(current.last, id, current, delivery.line(), delivery.micros());
    List<Message> never = due(id);
    if (!never.isEmpty()) {
      Gap gap = gap(Invariant.I1, delivery.line(), "not sent to %s, though a later one was");
      never.forEach(message -> miss(gap, message));
    }
  }

  /** What was never sent and is due, to before a message, to the end if that is null. */
  private List<Message> due(Id before) {
    List<Message> due = new ArrayList<>();
    for (Message message : log.between(furthest, before)) {
      if (begun || message.invokedLine() > registeredLine) {
        due.add(message);
      }
    }
    return due;
  }

  private void book(Delivery delivery, Seen seen) {
    Id id = delivery.id();
    if (!begun || furthest == null || id.compareTo(furthest) > 0) {
      lowest = lowest == null || id.compareTo(lowest) < 0 ? id : lowest;
      begun = true;
      furthest = id;
      furthestLine = delivery.line();
      arrived(delivery);
    } else if (missed.contains(id)) {
      if (missed.sent(id, false) == Invariant.I1) {
        outOfOrder(delivery, delivery.line(), "%s was sent %s only after later messages");
      }
      arrived(delivery);
    } else if (acks.contains(id)) {
      cameAgain(delivery);
    } else if (open.containsKey(id)) {
      arrived(delivery);
    } else if (mayBeRepeated(id)) {
      // Whether it is acknowledged, nobody knows.
      return;
    } else if (seen.isNew()) {
      outOfOrder(delivery, delivery.line(), "%s was sent %s only after later messages");
      arrived(delivery);
    } else {
      settledCameAgain(delivery);
    }
  }

  private void cameAgain(Delivery delivery) {
    Id id = delivery.id();
    Acked wrong = acks.wronglyAgain(id);
    faults.cameAgain(name, acks.microsOf(id));
    if (wrong != null) {
      findings.add(
          violation(
              Invariant.I5,
              id,
              Stream.of(wrong.line(), wrong.takenLine(), delivery.line()).distinct().toList(),
              String.format(
                  Locale.ROOT,
                  "%s was sent %s again, %,d ms after it had acknowledged it, which no crash"
                      + " explains.",
                  name,
                  id,
                  (delivery.micros() - wrong.micros()) / 1_000)));
    }
  }

  private void settledCameAgain(Delivery delivery) {
    Id id = delivery.id();
    boolean beforeItsStart = lowest != null && id.compareTo(lowest) < 0;
    long line = beforeItsStart ? registeredLine : acks.settledLine();
    findings.add(
        violation(
            Invariant.I5,
            id,
            Stream.of(line, delivery.line()).distinct().toList(),
            (beforeItsStart
                    ? "%s was sent %s, which is before the place where it started, %s."
                    : "%s was sent %s again, which it had acknowledged for good by then.")
                .formatted(name, id, lowest)));
  }

  /** A message has become known that nobody was sent before. */
  void learned(Message message) {
    boolean passed =
        begun
            && furthest != null
            && message.id().compareTo(furthest) <= 0
            && (message.id().compareTo(lowest) > 0 || message.invokedLine() > registeredLine);
    if (passed) {
      Gap gap = gap(Invariant.I1, furthestLine, "not sent to %s, though a later one was");
      miss(gap, message);
    }
  }

  // --- Acknowledgements ------------------------------------------------------------------------

  void acknowledged(Ack ack) {
    if (ack.cumulative() && !current.isOrdered()) {
      return;
    }
    if (ack.phase() == Event.Phase.OK) {
      acks.receipt(ack);
    } else if (ack.phase() == Event.Phase.INVOKED) {
      Collection<Id> messages = acknowledgedBy(ack);
      acks.add(ack, current, messages);
      faults.acknowledged(messages.size());
    }
  }

  private Collection<Id> acknowledgedBy(Ack ack) {
    List<Id> ids = new ArrayList<>();
    if (ack.cumulative()) {
      NavigableMap<Id, Sent> covered = open.headMap(ack.id(), true);
      ids.addAll(covered.keySet());
      covered.clear();
    } else if (open.remove(ack.id()) != null) {
      ids.add(ack.id());
    }
    if (acks.contains(ack.id())) {
      ids.add(ack.id());
    }
    return ids;
  }

  /** Whether a broker takes the acknowledgement that takes only those of whole entries. */
  private boolean isEntryAcknowledged(Id id) {
    return id.batchIndex() < 0
        || (open.subMap(id.startOfEntry(), true, id.endOfEntry(), true).isEmpty()
            && !(id.isSameEntry(furthest) && hasMore(furthest)));
  }

  /** Whether the entry has messages after this one. */
  private boolean hasMore(Id id) {
    return !log.between(id, id.endOfEntry()).isEmpty();
  }

  /** How many acknowledgements since this time there are. */
  long acksSince(long micros) {
    return acks.countSince(micros);
  }

  // --- The mark-delete position ----------------------------------------------------------------

  void check(MarkDelete mark) {
    if (mark.askedMicros() <= knownMicros) {
      return;
    }
    Id end = mark.id().endOfEntry();
    Gap gap =
        gap(
            Invariant.I3,
            mark.line(),
            "behind the mark-delete position " + mark.id() + ", though %s has not acknowledged it");
    open.headMap(end, true)
        .forEach((id, sent) -> missed.addBehindMarkDelete(gap, id, sent.line, sent.line));
    if (furthest == null || furthest.compareTo(end) < 0) {
      for (Message message : due(end)) {
        missed.addBehindMarkDelete(gap, message.id(), message.firstLine(), message.line());
      }
    }
  }

  // --- The end ---------------------------------------------------------------------------------

  /** What it is due, and was never sent. */
  List<Message> neverSent() {
    return due(null);
  }

  /** What is unacknowledged, and was not sent again since it came back or asked for it. */
  Collection<Id> notSentAgain() {
    return open.entrySet().stream()
        .filter(sent -> sent.getValue().line < current.askedLine)
        .map(Map.Entry::getKey)
        .toList();
  }

  Collection<Id> unacknowledged() {
    return open.keySet();
  }

  /** It was not sent these until the end; {@code line}: of its last subscribe. */
  void starved(Collection<Message> neverSent, Collection<Id> notSentAgain, long line, String what) {
    Gap gap = gap(Invariant.I7, line, what);
    neverSent.forEach(message -> miss(gap, message));
    List.copyOf(notSentAgain).forEach(id -> miss(gap, id, open.get(id)));
  }

  // --- Gaps ------------------------------------------------------------------------------------

  private Gap gap(Invariant invariant, long line, String what) {
    return new Gap(invariant, name, current.number, line, what);
  }

  private void miss(Gap gap, Message message) {
    missed.add(gap, message.id(), message.firstLine(), message.line());
  }

  private void miss(Gap gap, Id id, Sent sent) {
    missed.add(gap, id, sent.line, sent.line);
  }

  private Violation violation(Invariant invariant, Id id, List<Long> lines, String sentence) {
    return new Violation(invariant, name, current.number, id, lines, sentence);
  }

  /** Nothing up to here will come again; null if it was never sent anything. */
  Id settled() {
    Id settled = furthest;
    if (settled != null && !open.isEmpty()) {
      settled = settled.orEarlier(open.firstKey().justBefore());
    }
    if (settled != null && !acks.isEmpty()) {
      settled = settled.orEarlier(acks.first().justBefore());
    }
    return settled;
  }

  /** How many objects it holds. */
  int size() {
    return 1 + open.size() + acks.size() + missed.size();
  }
}
