/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;

/**
 * The messages that a hub holds, as a list in the order in which they were read. Guarded by the
 * hub's lock, but for what a session reads of a {@link Place}.
 */
final class HeldMessages<T> {
  /** What a message that was read is to a hub. */
  enum Arrival {
    NEW,
    /** It came again and is held. */
    HELD,
    /** It came again and was removed. */
    REMOVED
  }

  /** A message, or at the end of the list the place of the next one. */
  static final class Place<T> {
    private final long number;
    private Message<T> message;
    private MessageId id;

    /** Written after the message; null: that is still to come. */
    private volatile Place<T> next;

    /** Names whose first message that is not acknowledged this is. */
    int positions;

    Place(long number) {
      this.number = number;
    }

    boolean isBefore(Place<T> other) {
      return number < other.number;
    }

    /** Any thread may ask. */
    Place<T> next() {
      return next;
    }

    /** Any thread may ask that has seen the next place. */
    Message<T> message() {
      return message;
    }
  }

  private final Map<MessageId, Place<T>> byId = new HashMap<>();

  /** The last that were removed, so that they are known when they come again. */
  private final Set<MessageId> removed = new LinkedHashSet<>();

  /** Ids take memory, too. */
  private static final int MOST_REMOVED = 100_000;

  private final int maxRemoved;
  private Place<T> end = new Place<>(0);
  private Place<T> first = end;

  /** {@code maxRemoved}: how many it remembers that were removed, of 100,000 at most. */
  HeldMessages(int maxRemoved) {
    this.maxRemoved = Math.min(maxRemoved, MOST_REMOVED);
  }

  Place<T> first() {
    return first;
  }

  Place<T> end() {
    return end;
  }

  int size() {
    return byId.size();
  }

  /** The place of a message, or null. */
  Place<T> find(MessageId id) {
    return byId.get(id);
  }

  /**
   * Takes a message that was read. One that came again is not added: if it is held, its id is now
   * that of the last delivery, because the acknowledgements of one delivery of a batch are counted
   * together.
   *
   * <p>This does not go by the order of ids: an entry filter, for one, may have the first delivery
   * of a message come after later ones.
   */
  Arrival read(Message<T> message) {
    MessageId id = message.getMessageId();
    Place<T> held = byId.get(id);
    if (held != null) {
      held.id = id;
      return Arrival.HELD;
    }
    if (removed.contains(id)) {
      return Arrival.REMOVED;
    }
    add(message, id);
    return Arrival.NEW;
  }

  private void add(Message<T> message, MessageId id) {
    Place<T> place = end;
    end = new Place<>(place.number + 1);
    place.message = message;
    place.id = id;
    byId.put(id, place);
    place.next = end;
  }

  /** Removes the first message; the id to acknowledge it with. */
  MessageId removeFirst() {
    MessageId id = first.id;
    first = first.next;
    byId.remove(id);
    removed.add(id);
    if (removed.size() > maxRemoved) {
      Iterator<MessageId> oldest = removed.iterator();
      oldest.next();
      oldest.remove();
    }
    return id;
  }

  /** Forgets everything. */
  void clear() {
    byId.clear();
    removed.clear();
    first = end;
  }
}
