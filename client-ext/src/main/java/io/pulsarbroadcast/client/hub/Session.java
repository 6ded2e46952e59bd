/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import io.pulsarbroadcast.client.hub.HeldMessages.Place;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;

/**
 * The implementation of {@link HubSession}. Whatever may give its subscriber something to hear
 * calls {@link #signal}; the first signal starts a task, which goes on until it has seen them all,
 * so that the subscriber is called by one task at a time.
 */
final class Session<T> implements HubSession {
  /** After so many messages a task makes way for those of other sessions. */
  private static final int MESSAGES_AT_A_TIME = 64;

  /** What a subscriber hears at the end. */
  interface LastCall {
    LastCall NONE = subscriber -> {};

    void to(Flow.Subscriber<?> subscriber);
  }

  private final BroadcastHub<T> hub;
  private final String name;
  private final boolean isNew;
  private final Flow.Subscriber<? super Message<T>> subscriber;
  private final Executor executor;
  private final AtomicLong requested = new AtomicLong();

  /** Not seen by a task yet; once the session has ended for the subscriber, never 0 again. */
  private final AtomicInteger signals = new AtomicInteger();

  /** The last call of the subscriber; null: it has not ended. */
  private final AtomicReference<LastCall> end = new AtomicReference<>();

  /**
   * The first message that was not delivered; null when it has ended. Only the task moves it, and
   * holds no place while it calls the subscriber: each leads to all that come after it.
   */
  private volatile Place<T> next;

  /**
   * The first message that is not acknowledged; null when it has ended. The hub's lock guards it.
   */
  private Place<T> position;

  private volatile Throwable refusal;

  /** A task has run. */
  private volatile boolean begun;

  /** Only for the task. */
  private boolean subscribed;

  /** {@code isNew}: there was no position of its name. */
  Session(
      BroadcastHub<T> hub,
      String name,
      boolean isNew,
      Flow.Subscriber<? super Message<T>> subscriber,
      Executor executor,
      Place<T> position) {
    this.hub = hub;
    this.name = name;
    this.isNew = isNew;
    this.subscriber = subscriber;
    this.executor = executor;
    this.position = position;
    this.next = position;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void acknowledge(MessageId id) {
    hub.acknowledge(this, id);
  }

  @Override
  public void close() {
    hub.leave(this, LastCall.NONE);
  }

  @Override
  public void unsubscribe() {
    hub.unsubscribe(this);
  }

  @Override
  public void request(long messages) {
    if (messages <= 0) {
      IllegalArgumentException refusal =
          new IllegalArgumentException(
              "request(%d) of session %s: allowed is 1 or more".formatted(messages, name));
      hub.leave(this, failed -> failed.onError(refusal));
      return;
    }
    requested.accumulateAndGet(messages, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b);
    signal();
  }

  // --- Under the hub's lock ----------------------------------------------------------------------

  Place<T> position() {
    return position;
  }

  boolean hasEnded() {
    return position == null;
  }

  /** Whether a message was delivered and is not acknowledged. */
  boolean owes(Place<T> place) {
    return !place.isBefore(position) && place.isBefore(next);
  }

  void moveTo(Place<T> place) {
    position.positions--;
    place.positions++;
    position = place;
  }

  /** Ends it; {@link #signal} is to follow, without the lock. Returns its last position. */
  Place<T> end(LastCall lastCall) {
    Place<T> last = position;
    position = null;
    end.set(lastCall);
    next = null;
    return last;
  }

  // --- Without a lock ----------------------------------------------------------------------------

  /** There is a new message. */
  void arrived() {
    if (requested.get() > 0) {
      signal();
    }
  }

  /** There may be something for the subscriber. */
  void signal() {
    if (signals.getAndIncrement() == 0) {
      execute();
    }
  }

  private void execute() {
    try {
      executor.execute(this::drain);
    } catch (Throwable e) {
      // It takes no more, or has no more threads: there is none on which the subscriber could hear.
      refusal = e;
      if (isNew && !begun) {
        hub.unsubscribe(this);
      } else {
        hub.leave(this, LastCall.NONE);
      }
    }
  }

  /** Why the executor took no task for it, or null. */
  Throwable refusal() {
    return refusal;
  }

  private void drain() {
    begun = true;
    int seen = signals.get();
    while (seen != 0) {
      boolean more = deliver();
      LastCall lastCall = end.get();
      if (lastCall != null) {
        end(lastCall, subscriber);
        return;
      }
      if (more) {
        execute();
        return;
      }
      seen = signals.addAndGet(-seen);
    }
  }

  private static void end(LastCall lastCall, Flow.Subscriber<?> subscriber) {
    try {
      lastCall.to(subscriber);
    } catch (Throwable e) {
      // Its last call: there is nothing left that it could stop.
    }
  }

  /** Delivers what there is and was requested; whether more is left. */
  private boolean deliver() {
    try {
      if (end.get() == LastCall.NONE) {
        return false;
      }
      if (!subscribed) {
        subscribed = true;
        subscriber.onSubscribe(this);
      }
      for (int i = 0; i < MESSAGES_AT_A_TIME; i++) {
        Message<T> message = take();
        if (message == null) {
          return false;
        }
        subscriber.onNext(message);
      }
      return true;
    } catch (Throwable e) {
      hub.leave(this, failed -> failed.onError(e));
      return false;
    }
  }

  private Message<T> take() {
    Place<T> place = next;
    if (place == null || place.next() == null || requested.get() == 0) {
      return null;
    }
    next = place.next();
    if (end.get() != null) {
      next = null; // It has ended just now, and holds nothing any more.
      return null;
    }
    if (requested.get() != Long.MAX_VALUE) {
      requested.decrementAndGet();
    }
    return place.message();
  }
}
