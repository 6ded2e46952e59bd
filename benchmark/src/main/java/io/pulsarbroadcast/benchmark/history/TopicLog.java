/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Event.Delivery;
import io.pulsarbroadcast.benchmark.history.Event.Publish;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What is known of the topic: the messages that not every consumer has had, and the publishes that
 * are not answered. Only the checker's thread uses it.
 */
final class TopicLog {
  /**
   * A message that is stored.
   *
   * @param line of the event by which it became known, at {@code micros}
   * @param invokedLine of its publish; 0 if that is not known
   */
  record Message(Id id, long payload, long line, long micros, long invokedLine) {
    /** Of the first event that is about it. */
    long firstLine() {
      return invokedLine == 0 ? line : invokedLine;
    }
  }

  /** What a message was before, if anything. */
  record Seen(Message message, boolean isNew) {}

  /** A publish without a good answer. */
  private static final class Pending {
    private final long invokedLine;
    private final List<Id> seen = new ArrayList<>();
    private Publish answer;

    Pending(long invokedLine) {
      this.invokedLine = invokedLine;
    }
  }

  /** Publishes in order from the first that has no answer, and the last good answer before. */
  private static final class Producer {
    private final Deque<Pending> sent = new ArrayDeque<>();
    private Publish last;
  }

  private final Findings findings;
  private final NavigableMap<Id, Message> messages = new TreeMap<>();
  private final Map<Long, Message> firstOfPayload = new HashMap<>();
  private final Map<Long, Pending> pending = new HashMap<>();
  private final Map<String, Producer> producers = new HashMap<>();
  private final Intervals payloads = new Intervals();
  private Id highest;
  private Id forgotten;
  private long copies;

  TopicLog(Findings findings) {
    this.findings = findings;
  }

  /** Returns the message if it became known by this answer, though it was nobody's until now. */
  Message publish(Publish publish) {
    Producer producer = producers.computeIfAbsent(publish.producer(), name -> new Producer());
    if (publish.phase() == Event.Phase.INVOKED) {
      Pending sent = new Pending(publish.line());
      producer.sent.add(sent);
      payloads.add(publish.payload());
      if (pending.put(publish.payload(), sent) != null) {
        findings.invalid(
            List.of(publish.line()), "The payload %d is published twice.", publish.payload());
      }
      return null;
    }
    Pending answered = pending.get(publish.payload());
    if (answered == null || answered.answer != null) {
      findings.invalid(
          List.of(publish.line()),
          "There is an answer to a publish of the payload %d, which waits for none.",
          publish.payload());
      return null;
    }
    answered.answer = publish;
    checkOrder(producer);
    if (publish.id() == null) {
      return null;
    }
    pending.remove(publish.payload());
    if (answered.seen.contains(publish.id())) {
      return null;
    }
    return stored(
        new Message(
            publish.id(),
            publish.payload(),
            publish.line(),
            publish.micros(),
            answered.invokedLine));
  }

  private void checkOrder(Producer producer) {
    while (!producer.sent.isEmpty() && producer.sent.peek().answer != null) {
      Publish next = producer.sent.remove().answer;
      Publish last = producer.last;
      if (next.id() == null) {
        continue;
      }
      if (last != null && next.id().compareTo(last.id()) <= 0) {
        findings.add(
            new Violation(
                Invariant.LOG,
                next.producer(),
                0,
                next.id(),
                List.of(Math.min(last.line(), next.line()), Math.max(last.line(), next.line())),
                "The producer %s published payload %d after payload %d, but its id %s is not after %s."
                    .formatted(
                        next.producer(), next.payload(), last.payload(), next.id(), last.id())));
      }
      producer.last = next;
    }
  }

  /**
   * A consumer was sent it. The message is null if everybody had acknowledged it, and it is
   * forgotten.
   */
  Seen see(Delivery delivery) {
    Message known = messages.get(delivery.id());
    if (known != null) {
      checkPayload(known, delivery.payload(), delivery.line());
      return new Seen(known, false);
    }
    if (forgotten != null && delivery.id().compareTo(forgotten) <= 0) {
      return new Seen(null, false);
    }
    checkPublished(delivery);
    Pending published = pending.get(delivery.payload());
    Message first = firstOfPayload.get(delivery.payload());
    long invokedLine = first == null ? 0 : first.invokedLine;
    if (published != null) {
      published.seen.add(delivery.id());
      invokedLine = published.invokedLine;
    }
    Message message =
        new Message(
            delivery.id(), delivery.payload(), delivery.line(), delivery.micros(), invokedLine);
    stored(message);
    return new Seen(message, true);
  }

  /** Null if it is there already. */
  private Message stored(Message message) {
    Message known = messages.putIfAbsent(message.id, message);
    if (known != null) {
      checkPayload(known, message.payload, message.line);
      return null;
    }
    highest = highest == null || message.id.compareTo(highest) > 0 ? message.id : highest;
    copies += firstOfPayload.putIfAbsent(message.payload, message) == null ? 0 : 1;
    return message;
  }

  private void checkPayload(Message known, long payload, long line) {
    if (known.payload != payload) {
      findings.add(
          new Violation(
              Invariant.LOG,
              null,
              0,
              known.id,
              List.of(known.line, line),
              "The id %s has the payload %d and the payload %d."
                  .formatted(known.id, known.payload, payload)));
    }
  }

  private void checkPublished(Delivery delivery) {
    if (!payloads.contains(delivery.payload())) {
      findings.add(
          new Violation(
              Invariant.LOG,
              null,
              0,
              delivery.id(),
              List.of(delivery.line()),
              "The id %s has the payload %d, which nobody has published."
                  .formatted(delivery.id(), delivery.payload())));
    }
  }

  /** Those after one, all if that is null, to before another, to the end if that is null. */
  Collection<Message> between(Id after, Id before) {
    if (after != null && before != null && after.compareTo(before) >= 0) {
      return List.of();
    }
    NavigableMap<Id, Message> part = after == null ? messages : messages.tailMap(after, false);
    return (before == null ? part : part.headMap(before, false)).values();
  }

  /** The last that is known; null if none is. */
  Id highest() {
    return highest;
  }

  /** Everybody has acknowledged everything up to this one. */
  void forget(Id upTo) {
    Collection<Message> had = messages.headMap(upTo, true).values();
    had.forEach(message -> firstOfPayload.remove(message.payload, message));
    had.clear();
    forgotten = forgotten == null || upTo.compareTo(forgotten) > 0 ? upTo : forgotten;
  }

  /** Messages that the topic has more than once, because a producer sent them again. */
  long copies() {
    return copies;
  }

  /** How many objects it holds. */
  int size() {
    return messages.size()
        + firstOfPayload.size()
        + pending.size()
        + payloads.size()
        + producers.values().stream().mapToInt(producer -> 1 + producer.sent.size()).sum();
  }
}
