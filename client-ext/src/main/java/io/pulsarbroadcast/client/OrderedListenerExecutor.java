/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageListenerExecutor;

/**
 * Calls a message listener on several threads, in order per key; {@link ListenerExecutors} makes
 * one. A thread begins with a key's first message, when fewer than {@code maxConcurrency} are busy,
 * and ends when no key waits.
 *
 * <p>Thread safe. {@link #execute} is called by the client and does not wait for a listener:
 * messages wait in memory, where the receiver queue of each topic or partition bounds them, because
 * a message counts as received when its listener is called.
 *
 * <p>A listener that throws is logged by the client, and the next message of the key is next; the
 * broker sends the failed one again when it is negatively acknowledged, when its acknowledgement
 * times out, or when the consumer returns. A slow one holds up its own key, and one place of {@code
 * maxConcurrency}; and its whole topic or partition once more than half a receiver queue of its
 * messages wait.
 *
 * <p>When no thread can be started, the threads that there are go on with all messages, and it is
 * tried again within a second, or with the next message after that. When there is none, the failure
 * goes to the handler of uncaught exceptions of the client's thread.
 */
public final class OrderedListenerExecutor implements MessageListenerExecutor, AutoCloseable {
  private static final Object ALL = new Object();
  private static final long NANOS_UNTIL_NEXT_TRY = TimeUnit.MILLISECONDS.toNanos(500);

  /** What is ordered: messages of one key of one topic; null: those that have none. */
  private record Key(String topic, ByteBuffer bytes) {}

  private record Call(Message<?> message, Runnable listener, long nanos) {}

  /** The calls of a key that wait, while one of them waits or is made. */
  private record Lane(Object key, Queue<Call> calls) {}

  private record Turn(Lane lane, Call call) {}

  private final ThreadFactory threads;
  private final boolean perKey;
  private final int maxConcurrency;
  private final Duration closeTimeout;
  private final ListenerMeters meters;

  /** Guards all that follows. */
  private final ReentrantLock lock = new ReentrantLock();

  /** No thread is left, or no message waits any more. */
  private final Condition idle = lock.newCondition();

  private final Map<Object, Lane> lanes = new HashMap<>();

  /** Lanes of which no call is made; one with more calls goes to the end after each. */
  private final Queue<Lane> ready = new ArrayDeque<>();

  private final Set<Thread> calling = new HashSet<>();
  private int running;
  private int queued;

  /** The last thread could not be started, at {@link #failedNanos}. */
  private boolean failed;

  private long failedNanos;
  private boolean closed;

  OrderedListenerExecutor(
      ThreadFactory threads,
      boolean perKey,
      int maxConcurrency,
      Duration closeTimeout,
      ListenerMeters meters) {
    this.threads = threads;
    this.perKey = perKey;
    this.maxConcurrency = maxConcurrency;
    this.closeTimeout = closeTimeout;
    this.meters = meters;
    meters.register(this);
  }

  /**
   * Has the listener called, after those of the same key before. Once closed, it releases the
   * message and does nothing.
   */
  @Override
  public void execute(Message<?> message, Runnable listener) {
    Object key = perKey ? new Key(message.getTopicName(), keyOf(message)) : ALL;
    Call call = new Call(message, listener, System.nanoTime());
    Throwable failure;
    lock.lock();
    try {
      if (closed) {
        reject(call);
        return;
      }
      Lane lane = lanes.get(key);
      if (lane == null) {
        lane = new Lane(key, new ArrayDeque<>());
        lanes.put(key, lane);
        ready.add(lane);
      }
      lane.calls.add(call);
      queued++;
      failure = startThreads();
    } finally {
      lock.unlock();
    }
    if (failure != null) {
      report(failure);
    }
  }

  /**
   * Starts a thread for each lane that waits, but for those that threads between two calls are
   * about to take. The client drops a message with which it gets an exception; so this throws none.
   *
   * @return why there is no thread at all, or null
   */
  private Throwable startThreads() {
    if (failed && System.nanoTime() - failedNanos < NANOS_UNTIL_NEXT_TRY) {
      return null;
    }
    failed = false;
    try {
      while (running < maxConcurrency && running - calling.size() < ready.size()) {
        Thread thread = threads.newThread(this::callAll);
        Objects.requireNonNull(thread, "The ThreadFactory of the listener executor made no thread");
        thread.start();
        running++;
      }
      return null;
    } catch (Throwable e) {
      failed = true;
      failedNanos = System.nanoTime();
      tryAgainSoon();
      return running == 0 ? e : null;
    }
  }

  private void tryAgainSoon() {
    try {
      CompletableFuture.delayedExecutor(NANOS_UNTIL_NEXT_TRY, TimeUnit.NANOSECONDS)
          .execute(this::tryAgain);
    } catch (Throwable e) {
      // It takes a thread itself. The next message tries again.
    }
  }

  private void tryAgain() {
    Throwable failure;
    lock.lock();
    try {
      failure = startThreads();
    } finally {
      lock.unlock();
    }
    if (failure != null) {
      report(failure);
    }
  }

  /** As Key_Shared takes it: the same bytes are the same key. */
  private static ByteBuffer keyOf(Message<?> message) {
    byte[] key = message.hasOrderingKey() ? message.getOrderingKey() : null;
    if (key == null && message.hasKey()) {
      key = bytesOfKey(message);
    }
    return key == null ? null : ByteBuffer.wrap(key);
  }

  /** What a producer says is Base64, and is not, is taken as it is. */
  private static byte[] bytesOfKey(Message<?> message) {
    try {
      return message.getKeyBytes();
    } catch (IllegalArgumentException e) {
      return message.getKey().getBytes(StandardCharsets.UTF_8);
    }
  }

  private void reject(Call call) {
    meters.rejected();
    call.message.release();
  }

  /** What a thread does: the first call of the lane that has waited longest, and so on. */
  private void callAll() {
    Turn turn = next();
    while (turn != null) {
      call(turn.call);
      end(turn.lane);
      turn = next();
    }
  }

  private Turn next() {
    lock.lock();
    try {
      Lane lane = ready.poll();
      if (lane == null) {
        running--;
        if (running == 0) {
          idle.signalAll();
        }
        return null;
      }
      queued--;
      calling.add(Thread.currentThread());
      return new Turn(lane, lane.calls.remove());
    } finally {
      lock.unlock();
    }
  }

  private void call(Call call) {
    long startNanos = System.nanoTime();
    long publishMillis = call.message.getPublishTime(); // It may be recycled by the listener.
    try {
      call.listener.run();
      meters.called(startNanos - call.nanos, System.nanoTime() - startNanos, publishMillis);
    } catch (Throwable e) {
      report(e);
    }
  }

  private static void report(Throwable e) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } catch (Throwable ofTheHandler) {
      // The JVM ignores it too. The thread goes on with the next call.
    }
  }

  /** From now on nobody interrupts this thread; an interrupt of this call is not the next one's. */
  private void end(Lane lane) {
    lock.lock();
    try {
      calling.remove(Thread.currentThread());
      Thread.interrupted();
      if (lane.calls.isEmpty()) {
        lanes.remove(lane.key);
      } else {
        ready.add(lane);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Messages that wait. */
  int queued() {
    lock.lock();
    try {
      return queued;
    } finally {
      lock.unlock();
    }
  }

  /** Listener calls at this moment. */
  int active() {
    lock.lock();
    try {
      return calling.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes no more messages, and waits until the listener has been called for all that there are. If
   * that takes longer than {@code closeTimeout}, or if the waiting thread is interrupted, it
   * interrupts the calls, drops the messages that wait, and returns without waiting for the calls
   * to end. What is dropped comes again when the consumer returns.
   *
   * <p>Close it before the consumer, so that listeners can still acknowledge, and then the
   * consumer, which receives nothing any more. From a listener it does not wait: it refuses further
   * messages and returns.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (!calling.contains(Thread.currentThread()) && !isIdleInTime()) {
        drop();
      }
    } finally {
      lock.unlock();
      meters.remove();
    }
  }

  private boolean isIdleInTime() {
    // More than 292 years is for ever.
    long nanosLeft = TimeUnit.NANOSECONDS.convert(closeTimeout);
    try {
      while (!isIdle() && nanosLeft > 0) {
        nanosLeft = idle.awaitNanos(nanosLeft);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return isIdle();
  }

  private boolean isIdle() {
    return running == 0 && queued == 0;
  }

  private void drop() {
    ready.clear();
    for (Lane lane : lanes.values()) {
      lane.calls.forEach(this::reject);
      lane.calls.clear();
    }
    lanes.clear();
    queued = 0;
    calling.forEach(Thread::interrupt);
    idle.signalAll();
  }
}
