/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import static java.util.Objects.requireNonNull;

import io.pulsarbroadcast.client.hub.HeldMessages.Arrival;
import io.pulsarbroadcast.client.hub.HeldMessages.Place;
import io.pulsarbroadcast.client.hub.Session.LastCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;

/**
 * One Broadcast consumer for many sessions of a process, such as a gateway's WebSocket connections.
 * Each session receives every message and has a position under its own name; the consumer's
 * position at the broker follows that of the slowest session.
 *
 * <pre>{@code
 * BroadcastHub<String> hub = BroadcastHub.builder(client.newConsumer(Schema.STRING)
 *         .topic("persistent://city/traffic/area-7")
 *         .subscriptionName("alerts")
 *         .subscriptionType(SubscriptionType.Broadcast)
 *         .consumerName("gateway-1"))
 *     .subscribe();
 * HubSession session = hub.open("car-4711", SubscriptionInitialPosition.Latest, subscriber);
 * }</pre>
 *
 * <p>Thread safe; nothing blocks but {@link #close}. Positions of sessions are in memory. The order
 * is that in which the consumer receives: within a topic or partition, the topic's.
 *
 * <p>What the broker sends again, as after a lost connection, is not given to sessions again, if it
 * is held or among the last {@link BroadcastHubBuilder#maxMessages} that were removed, of 100,000
 * at most. When more than that comes again, sessions may get all of it.
 */
public final class BroadcastHub<T> implements AutoCloseable {
  private final Consumer<T> consumer;
  private final int maxMessages;
  private final Executor executor;

  /** Wanted reads of the consumer, of which there is one at a time. */
  private final AtomicInteger reads = new AtomicInteger();

  /** Only changed under the lock; whoever goes through it needs none. */
  private final Map<String, Session<T>> sessions = new ConcurrentHashMap<>();

  private final AtomicLong endedSessions = new AtomicLong();
  private final AtomicLong forgottenNames = new AtomicLong();

  /** Guards all that follows, and the positions of sessions. Nothing else is called under it. */
  private final ReentrantLock lock = new ReentrantLock();

  private final HeldMessages<T> messages;

  /** The positions of sessions that have closed, by name. */
  private final Map<String, Place<T>> left = new HashMap<>();

  private boolean resuming = true;

  /** The next read waits for the end of {@link #resuming}. */
  private boolean readWaits;

  private boolean closed;

  /** Why it closed by itself. */
  private Throwable failure;

  BroadcastHub(Consumer<T> consumer, int maxMessages, Executor executor) {
    this.consumer = consumer;
    this.maxMessages = maxMessages;
    this.executor = executor;
    this.messages = new HeldMessages<>(maxMessages);
  }

  /**
   * Begins to build one.
   *
   * @param consumer with topics, subscription and consumer name; of the ordered contract, and
   *     without a message listener. The name identifies the position of the hub at the broker: each
   *     hub needs its own, and the same after a restart
   */
  public static <T> BroadcastHubBuilder<T> builder(ConsumerBuilder<T> consumer) {
    return new BroadcastHubBuilder<>(consumer);
  }

  void start(Duration resumeTime) throws PulsarClientException {
    if (resumeTime.isZero()) {
      resuming = false;
    }
    read();
    lock.lock();
    try {
      if (failure != null) {
        throw PulsarClientException.unwrap(failure);
      }
    } finally {
      lock.unlock();
    }
    if (!resumeTime.isZero()) {
      // More than 292 years is for ever.
      CompletableFuture.delayedExecutor(
              TimeUnit.NANOSECONDS.convert(resumeTime), TimeUnit.NANOSECONDS)
          .execute(this::resumed);
    }
  }

  /**
   * Opens a session. It receives nothing before it {@linkplain HubSession#request requests} it.
   *
   * @param name of its position. A session that closed leaves that behind, and the next one of the
   *     name receives again what it had not acknowledged
   * @param start where a name without a position starts: at the next message, or at the oldest that
   *     this hub holds
   * @param subscriber is called by the {@link BroadcastHubBuilder#executor}, as {@link
   *     Flow.Subscriber} says. Its {@code onError} gets {@link SessionTooFarBehindException}, what
   *     it has thrown itself (other sessions notice nothing), {@code IllegalArgumentException} for
   *     a request of less than 1, or why the consumer has ended; its {@code onComplete} says that
   *     the hub was closed
   * @throws IllegalStateException if a session of that name is open, or the hub closed
   * @throws RejectedExecutionException if the executor takes no task for it; a name without a
   *     position then has none either
   */
  public HubSession open(
      String name,
      SubscriptionInitialPosition start,
      Flow.Subscriber<? super Message<T>> subscriber) {
    requireNonNull(name, "name");
    requireNonNull(start, "start");
    requireNonNull(subscriber, "subscriber");
    Session<T> session;
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException(
            "Session " + name + " cannot be opened: the hub is closed", failure);
      }
      if (sessions.containsKey(name)) {
        throw new IllegalStateException(
            "Session " + name + " is open; allowed is a name of which no session is open");
      }
      boolean isNew = !left.containsKey(name);
      session = new Session<>(this, name, isNew, subscriber, executor, positionOf(name, start));
      sessions.put(name, session);
    } finally {
      lock.unlock();
    }
    session.signal();
    if (session.refusal() != null) {
      throw new RejectedExecutionException(
          "Session " + name + " cannot be opened: the hub's executor takes no task for it",
          session.refusal());
    }
    return session;
  }

  private Place<T> positionOf(String name, SubscriptionInitialPosition start) {
    Place<T> position = left.remove(name);
    if (position == null) {
      position = start == SubscriptionInitialPosition.Earliest ? messages.first() : messages.end();
      position.positions++;
    }
    return position;
  }

  // --- What sessions do --------------------------------------------------------------------------

  void acknowledge(Session<T> session, MessageId id) {
    requireNonNull(id, "id");
    List<MessageId> done = List.of();
    lock.lock();
    try {
      Place<T> place = messages.find(id);
      if (!session.hasEnded() && place != null && session.owes(place)) {
        session.moveTo(place.next());
        done = trim();
      }
    } finally {
      lock.unlock();
    }
    acknowledge(done);
  }

  /** Ends a session, which leaves its position behind. */
  void leave(Session<T> session, LastCall lastCall) {
    lock.lock();
    try {
      if (!ended(session, lastCall)) {
        return;
      }
    } finally {
      lock.unlock();
    }
    session.signal();
  }

  /** False: it had ended. Under the lock. */
  private boolean ended(Session<T> session, LastCall lastCall) {
    if (session.hasEnded()) {
      return false;
    }
    sessions.remove(session.name());
    left.put(session.name(), session.end(lastCall));
    return true;
  }

  /** Ends a session if it has not ended, and drops what position there is of its name. */
  void unsubscribe(Session<T> session) {
    List<MessageId> done = List.of();
    boolean ended;
    lock.lock();
    try {
      ended = ended(session, LastCall.NONE);
      Place<T> position = left.remove(session.name());
      if (position != null) {
        position.positions--;
        done = trim();
      }
    } finally {
      lock.unlock();
    }
    if (ended) {
      session.signal();
    }
    acknowledge(done);
  }

  // --- What the consumer receives ----------------------------------------------------------------

  /** Reads the next message; one read at a time, and not by recursion when there are many. */
  private void read() {
    if (reads.getAndIncrement() > 0) {
      return;
    }
    do {
      consumer.receiveAsync().whenComplete(this::received);
    } while (reads.decrementAndGet() > 0);
  }

  private void received(Message<T> message, Throwable error) {
    if (error != null) {
      end(failed -> failed.onError(error), error);
      return;
    }
    try {
      if (take(message)) {
        read();
      }
    } catch (Throwable e) {
      end(failed -> failed.onError(e), e);
      consumer.closeAsync();
    }
  }

  /** Takes a message; whether the next one is to be read now. */
  private boolean take(Message<T> message) {
    Arrival arrival;
    boolean full;
    List<Session<T>> ended = new ArrayList<>();
    List<MessageId> done = new ArrayList<>();
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      arrival = messages.read(message);
      if (arrival == Arrival.REMOVED) {
        // Its acknowledgement has been lost, or its batch is not complete.
        done.add(message.getMessageId());
      }
      if (messages.size() > maxMessages) {
        done.add(giveUpFirst(ended));
      }
      done.addAll(trim());
      full = resuming && messages.size() == maxMessages;
      readWaits = full;
    } finally {
      lock.unlock();
    }
    acknowledge(done);
    ended.forEach(Session::signal);
    if (arrival == Arrival.NEW) {
      sessions.values().forEach(Session::arrived);
    }
    return !full;
  }

  /** Removes the first message, though it may not be acknowledged by all. */
  private MessageId giveUpFirst(List<Session<T>> ended) {
    Place<T> first = messages.first();
    if (first.positions > 0) {
      for (Session<T> session : sessions.values()) {
        if (session.position() == first) {
          sessions.remove(session.name());
          SessionTooFarBehindException tooFar =
              new SessionTooFarBehindException(session.name(), maxMessages);
          session.end(failed -> failed.onError(tooFar));
          ended.add(session);
        }
      }
      int names = left.size();
      left.values().removeIf(position -> position == first);
      endedSessions.addAndGet(ended.size());
      forgottenNames.addAndGet(names - left.size());
    }
    return messages.removeFirst();
  }

  /** Removes what everybody has acknowledged. */
  private List<MessageId> trim() {
    List<MessageId> done = new ArrayList<>();
    while (!closed && !resuming && messages.size() > 0 && messages.first().positions == 0) {
      done.add(messages.removeFirst());
    }
    return done;
  }

  /**
   * One by one: of a batch, the client sends it when all of one delivery are acknowledged. A
   * cumulative one would have the client drop what the broker sends again because it has not got
   * it.
   */
  private void acknowledge(List<MessageId> done) {
    done.forEach(consumer::acknowledgeAsync);
  }

  private void resumed() {
    List<MessageId> done;
    boolean readNow;
    lock.lock();
    try {
      resuming = false;
      done = trim();
      readNow = readWaits && !closed;
      readWaits = false;
    } finally {
      lock.unlock();
    }
    acknowledge(done);
    if (readNow) {
      read();
    }
  }

  // --- Its end, and what it says of itself -------------------------------------------------------

  /**
   * Ends all sessions with {@code onComplete}, and closes the consumer, for which it waits. What
   * not all sessions have acknowledged stays at the broker.
   */
  @Override
  public void close() throws PulsarClientException {
    end(Flow.Subscriber::onComplete, null);
    consumer.close();
  }

  private void end(LastCall lastCall, Throwable reason) {
    List<Session<T>> ended;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      failure = reason;
      ended = List.copyOf(sessions.values());
      ended.forEach(session -> session.end(lastCall));
      sessions.clear();
      left.clear();
      messages.clear();
    } finally {
      lock.unlock();
    }
    ended.forEach(Session::signal);
  }

  /** How many sessions are open. */
  public int openSessions() {
    return sessions.size();
  }

  /** How many messages are held, at most {@link BroadcastHubBuilder#maxMessages}. */
  public int heldMessages() {
    lock.lock();
    try {
      return messages.size();
    } finally {
      lock.unlock();
    }
  }

  /** How many sessions have ended with {@link SessionTooFarBehindException} so far. */
  public long endedSessions() {
    return endedSessions.get();
  }

  /** How many positions of closed sessions were too far behind, and forgotten, so far. */
  public long forgottenNames() {
    return forgottenNames.get();
  }
}
