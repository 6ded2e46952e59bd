/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import io.pulsarbroadcast.broker.Throttled;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the broker's log how many subscribes with new names one topic's limits refused: one line
 * per interval in which any were. May be called from any thread.
 */
public final class RefusalReport {

  private static final Logger log = LoggerFactory.getLogger(RefusalReport.class);
  private static final long INTERVAL_MILLIS = 10_000;

  private final String topic;
  private final AtomicInteger refused = new AtomicInteger();
  private final Throttled report;
  private volatile String lastReason;

  public RefusalReport(String topic, ScheduledExecutorService timer) {
    this.topic = topic;
    this.report = new Throttled(timer, INTERVAL_MILLIS, this::write);
  }

  /**
   * A subscribe was refused.
   *
   * @param reason what its client is told
   */
  public void refused(String reason) {
    lastReason = reason;
    refused.incrementAndGet();
    report.request();
  }

  private void write() {
    log.warn(
        "[{}] Refused {} subscribes with new names, the last because: {}",
        topic,
        refused.getAndSet(0),
        lastReason);
  }
}
