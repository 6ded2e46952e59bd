/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageListenerExecutor;

/**
 * Calls a message listener on a thread for each key that has messages, in order per key; {@link
 * ListenerExecutors} makes one. A thread ends when its key has no message left.
 *
 * <p>Thread safe. {@link #execute} is called by the client and never blocks: messages beyond {@code
 * maxConcurrency} wait in memory, where the consumer's {@code receiverQueueSize} bounds them,
 * because a message counts as received when its listener is called.
 *
 * <p>A listener that throws is logged by the client, and the next message of the key is next; the
 * broker sends the failed one again when it is negatively acknowledged, when its acknowledgement
 * times out, or when the consumer returns. A slow one holds up its own key, and one place of {@code
 * maxConcurrency}; and the whole consumer once {@code receiverQueueSize} messages of its key wait.
 */
public final class OrderedListenerExecutor implements MessageListenerExecutor, AutoCloseable {
  private static final Object ALL = new Object();

  /** What is ordered: messages of one key of one topic; null: those that have none. */
  private record Lane(String topic, ByteBuffer key) {}

  private record Call(Runnable listener, long publishMillis, long nanos) {}

  private final ThreadFactory threads;
  private final boolean perKey;
  private final Duration closeTimeout;
  private final ListenerMeters meters;

  /** One for each call. Fair: a key with many messages goes to the end of the queue after each. */
  private final Semaphore slots;

  /** Guards all that follows. */
  private final ReentrantLock lock = new ReentrantLock();

  /** No thread is left. */
  private final Condition idle = lock.newCondition();

  private final Map<Object, Queue<Call>> lanes = new HashMap<>();
  private final Set<Thread> calling = new HashSet<>();
  private int queued;
  private boolean closed;

  OrderedListenerExecutor(
      ThreadFactory threads,
      boolean perKey,
      int maxConcurrency,
      Duration closeTimeout,
      ListenerMeters meters) {
    this.threads = threads;
    this.perKey = perKey;
    this.slots = new Semaphore(maxConcurrency, true);
    this.closeTimeout = closeTimeout;
    this.meters = meters;
    meters.register(this);
  }

  /** Has the listener called, after those of the same key before. Does nothing once closed. */
  @Override
  public void execute(Message<?> message, Runnable listener) {
    Object lane = perKey ? new Lane(message.getTopicName(), keyOf(message)) : ALL;
    Call call = new Call(listener, message.getPublishTime(), System.nanoTime());
    lock.lock();
    try {
      if (closed) {
        meters.rejected(1);
        return;
      }
      Queue<Call> calls = lanes.get(lane);
      if (calls == null) {
        calls = new ArrayDeque<>();
        start(lane, calls);
        lanes.put(lane, calls);
      }
      calls.add(call);
      queued++;
    } finally {
      lock.unlock();
    }
  }

  /** As Key_Shared takes it: the same bytes are the same key. */
  private static ByteBuffer keyOf(Message<?> message) {
    if (message.hasOrderingKey()) {
      return ByteBuffer.wrap(message.getOrderingKey());
    }
    return message.hasKey() ? ByteBuffer.wrap(message.getKeyBytes()) : null;
  }

  /** The thread cannot go on before the lock is released. */
  private void start(Object lane, Queue<Call> calls) {
    threads.newThread(() -> callAll(lane, calls)).start();
  }

  private void callAll(Object lane, Queue<Call> calls) {
    do {
      slots.acquireUninterruptibly();
      try {
        callFirst(calls);
      } finally {
        slots.release();
      }
    } while (hasMore(lane, calls));
  }

  private void callFirst(Queue<Call> calls) {
    Call call = begin(calls);
    if (call == null) {
      return; // dropped
    }
    long startNanos = System.nanoTime();
    try {
      call.listener.run();
    } catch (Throwable e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } finally {
      end();
      long endNanos = System.nanoTime();
      meters.called(startNanos - call.nanos, endNanos - startNanos, call.publishMillis);
    }
  }

  private Call begin(Queue<Call> calls) {
    lock.lock();
    try {
      Call call = calls.poll();
      if (call != null) {
        queued--;
        calling.add(Thread.currentThread());
      }
      return call;
    } finally {
      lock.unlock();
    }
  }

  /** From now on nobody interrupts this thread; an interrupt of the last call is not the next's. */
  private void end() {
    lock.lock();
    try {
      calling.remove(Thread.currentThread());
      Thread.interrupted();
    } finally {
      lock.unlock();
    }
  }

  /** If false, the lane is gone, and so has to be its thread. */
  private boolean hasMore(Object lane, Queue<Call> calls) {
    lock.lock();
    try {
      if (!calls.isEmpty()) {
        return true;
      }
      lanes.remove(lane);
      if (lanes.isEmpty()) {
        idle.signalAll();
      }
      return false;
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
   * to end. Dropped messages are not acknowledged: they come again.
   *
   * <p>Close it before the consumer, so that listeners can still acknowledge. From a listener it
   * does not wait: it refuses further messages and returns.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (calling.contains(Thread.currentThread())) {
        return;
      }
      if (!isIdleInTime()) {
        drop();
      }
    } finally {
      lock.unlock();
    }
    meters.remove();
  }

  private boolean isIdleInTime() {
    long nanosLeft = closeTimeout.toNanos();
    try {
      while (!lanes.isEmpty() && nanosLeft > 0) {
        nanosLeft = idle.awaitNanos(nanosLeft);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return lanes.isEmpty();
  }

  private void drop() {
    meters.rejected(queued);
    queued = 0;
    lanes.values().forEach(Queue::clear);
    calling.forEach(Thread::interrupt);
    slots.release(lanes.size()); // A call that goes on all the same holds up no thread.
  }
}
