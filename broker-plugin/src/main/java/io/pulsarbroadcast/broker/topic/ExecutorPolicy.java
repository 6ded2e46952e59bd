/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.BroadcastConfig.DispatchThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.bookkeeper.common.util.OrderedExecutor;

/**
 * Which threads do what for one Broadcast subscription. The default, everything about a consumer on
 * its connection's event loop, is what measures best; the others are seed 000's, to measure them
 * against it: dispatch keyed by topic or by subscription on the broker's ordered executor,
 * acknowledgements there too, or on any of its threads because they need no order.
 *
 * <p>May be called from any thread.
 */
final class ExecutorPolicy {

  /** Acknowledgements that may wait for another thread; those beyond are taken at once. */
  private static final int MAX_QUEUED_ACKS = 100_000;

  private final OrderedExecutor threads;
  private final Executor reader;
  private final Executor fanout;
  private final Executor acks;
  private final boolean anyThreadForAcks;
  private final AtomicInteger queuedAcks = new AtomicInteger();

  /**
   * @param threads the broker's, shared with other subscriptions
   */
  ExecutorPolicy(
      BroadcastConfig config, OrderedExecutor threads, String topic, String subscription) {
    this.threads = threads;
    String bySubscription = topic + "/" + subscription;
    DispatchThreads dispatch = config.dispatchExecutor();
    this.reader = threads.chooseThread(dispatch == DispatchThreads.TOPIC ? topic : bySubscription);
    this.fanout = dispatch == DispatchThreads.CONNECTION ? null : reader;
    this.acks =
        switch (config.ackExecutor()) {
          case IO, RANDOM -> null;
          case SUBSCRIPTION -> threads.chooseThread(bySubscription);
          case TOPIC -> threads.chooseThread(topic);
        };
    this.anyThreadForAcks = config.ackExecutor() == BroadcastConfig.AckThreads.RANDOM;
  }

  /** Runs the reader of the subscription, one task after the other. */
  Executor reader() {
    return reader;
  }

  /** Runs the fan-out of each connection, one task after the other; null: its own event loop. */
  Executor fanout() {
    return fanout;
  }

  /** Whether acknowledgements are taken on the thread they arrive on. */
  boolean takesAcksAtOnce() {
    return acks == null && !anyThreadForAcks;
  }

  /** Takes an acknowledgement, on the thread for that or, when too many wait for it, at once. */
  void acknowledge(Runnable ack) {
    if (queuedAcks.get() >= MAX_QUEUED_ACKS) {
      ack.run();
      return;
    }
    queuedAcks.incrementAndGet();
    Executor executor = anyThreadForAcks ? threads.chooseThread() : acks;
    executor.execute(
        () -> {
          try {
            ack.run();
          } finally {
            queuedAcks.decrementAndGet();
          }
        });
  }

  /** How many acknowledgements wait for their thread. */
  int queuedAcks() {
    return queuedAcks.get();
  }
}
