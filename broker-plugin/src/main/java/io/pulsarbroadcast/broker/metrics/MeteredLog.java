/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.pulsarbroadcast.broker.cursor.PositionsStore;
import java.util.concurrent.CompletableFuture;

/** A positions log whose writes are timed and counted. May be used from any thread. */
public final class MeteredLog implements PositionsStore.Log {

  private final PositionsStore.Log log;
  private final SubscriptionMetrics metrics;

  public MeteredLog(PositionsStore.Log log, SubscriptionMetrics metrics) {
    this.log = log;
    this.metrics = metrics;
  }

  @Override
  public CompletableFuture<Object> append(byte[] record) {
    long start = System.nanoTime();
    return log.append(record)
        .whenComplete(
            (position, e) -> {
              if (e == null) {
                metrics.positionsWritten(System.nanoTime() - start, record.length);
              } else {
                metrics.positionsNotWritten();
              }
            });
  }

  @Override
  public void forgetBefore(Object record) {
    log.forgetBefore(record);
  }
}
