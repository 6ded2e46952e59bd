/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import io.pulsarbroadcast.broker.Throttled;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the broker's log how many consumers of a Broadcast subscription came and went: one line
 * per interval in which any did, in place of several lines per consumer ({@link
 * ConsumerLogFilter}). May be called from any thread.
 */
public final class ConsumerReport {

  private static final Logger log = LoggerFactory.getLogger(ConsumerReport.class);
  private static final long INTERVAL_MILLIS = 1_000;

  private final String topic;
  private final String subscription;
  private final IntSupplier connected;
  private final AtomicInteger came = new AtomicInteger();
  private final AtomicInteger went = new AtomicInteger();
  private final Throttled report;

  /**
   * @param connected how many consumers there are
   */
  public ConsumerReport(
      String topic, String subscription, IntSupplier connected, ScheduledExecutorService timer) {
    this.topic = topic;
    this.subscription = subscription;
    this.connected = connected;
    this.report = new Throttled(timer, INTERVAL_MILLIS, this::write);
  }

  /** A consumer has connected. */
  public void came() {
    came.incrementAndGet();
    report.request();
  }

  /** A consumer has gone. */
  public void went() {
    went.incrementAndGet();
    report.request();
  }

  private void write() {
    log.info(
        "[{}][{}] {} consumers connected; {} came and {} went",
        topic,
        subscription,
        connected.getAsInt(),
        came.getAndSet(0),
        went.getAndSet(0));
  }
}
