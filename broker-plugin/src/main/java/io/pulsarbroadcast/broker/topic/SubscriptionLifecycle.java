/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts, stops and resumes the parts of one Broadcast subscription, and makes its positions last
 * when it is closed. Called by the topic and by what the broker takes for the subscription's
 * dispatcher, from any thread.
 *
 * <p>Closing is: {@link #close}, {@link #stop}, {@link #closeLog}; {@link #resume} undoes it when
 * the topic could not be closed. Whoever else wants nobody to come meanwhile takes the {@link
 * #fence}, and only lifts that. Before a deletion the log is given up with {@link #discardLog}.
 */
final class SubscriptionLifecycle {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionLifecycle.class);

  private static final int STORE_TIMEOUT_SECONDS = 5;

  private final String topic;
  private final String subscription;
  private final SubscriptionParts parts;
  private final SubscriptionWatch watch;
  private final AtomicBoolean fenced = new AtomicBoolean();
  private volatile boolean closing;
  private volatile boolean discarded;

  SubscriptionLifecycle(
      String topic, String subscription, SubscriptionParts parts, SubscriptionWatch watch) {
    this.topic = topic;
    this.subscription = subscription;
    this.parts = parts;
    this.watch = watch;
  }

  void start() {
    watch.start();
  }

  /**
   * Takes no further consumers, until {@link #unfence} or {@link #resume}.
   *
   * @return false when it took none already
   */
  boolean fence() {
    return !closing && fenced.compareAndSet(false, true);
  }

  void unfence() {
    fenced.set(false);
  }

  /** The subscription is being closed: it takes no further consumers until {@link #resume}. */
  void close() {
    closing = true;
  }

  /** Whether it is being closed. */
  boolean isClosing() {
    return closing;
  }

  /** What a client or operator is answered that asks for something meanwhile. */
  static <T> CompletableFuture<T> refused() {
    return CompletableFuture.failedFuture(
        new SubscriptionFencedException("Subscription is being closed, try again"));
  }

  /** Whether the subscription takes no consumers: it is being closed, or its cursor moved. */
  boolean isFenced() {
    return closing || fenced.get();
  }

  /**
   * Stops dispatch and makes the positions last: the topic is being closed, or the subscription
   * changes its type.
   */
  CompletableFuture<Void> stop() {
    watch.stop();
    CompletableFuture<Void> readingEnded = parts.fanout().close();
    return storePositions()
        .whenComplete(
            (stored, e) -> {
              parts.markDelete().stop();
              parts.metrics().close();
            })
        .thenCompose(stored -> readingEnded);
  }

  /**
   * Makes the positions last, and the subscription's own too. Waits for some seconds only: storage
   * that does not answer must not keep the log open, which the topic's next load opens.
   */
  CompletableFuture<Void> storePositions() {
    return parts
        .markDelete()
        .flush()
        .handle((flushed, e) -> parts.markDelete().handOver())
        .thenCompose(published -> published)
        .completeOnTimeout(null, STORE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Closes the positions log, after {@link #stop}. A log that does not close has all that was
   * flushed.
   */
  CompletableFuture<Void> closeLog() {
    return discarded ? CompletableFuture.completedFuture(null) : closeLedger();
  }

  /** Closes the positions log for good: it is about to be deleted. */
  CompletableFuture<Void> discardLog() {
    boolean open = !discarded;
    // First: whoever fails to store something is to find out why.
    discarded = true;
    parts.markDelete().stop();
    parts.metrics().close();
    return open ? closeLedger() : CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> closeLedger() {
    return parts
        .past()
        .ledger()
        .close()
        .exceptionally(
            e -> {
              log.warn("[{}][{}] Could not close the positions log", topic, subscription, e);
              return null;
            });
  }

  /** Whether the subscription's positions are gone, or about to be. */
  boolean isDiscarded() {
    return discarded;
  }

  /** Takes part again after {@link #stop}, when closing the topic failed. */
  void resume() {
    closing = false;
    unfence();
    parts.metrics().reopen();
    parts.markDelete().resume();
    watch.start();
    parts.fanout().reopen();
    if (!discarded) {
      parts.past().ledger().reopen();
    }
  }
}
