/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageListener;

/**
 * A listener that acknowledges numbered messages and counts them. The client's thread calls it; the
 * counts may be read from any thread.
 */
@SuppressWarnings("serial")
final class CountingConsumer implements MessageListener<Integer> {

  /** All messages below this number have come, each for the first time in this order. */
  private final AtomicInteger next = new AtomicInteger();

  private final AtomicInteger again = new AtomicInteger();
  private final AtomicInteger outOfOrder = new AtomicInteger();

  @Override
  public void received(Consumer<Integer> consumer, Message<Integer> message) {
    int number = message.getValue();
    if (number == next.get()) {
      next.incrementAndGet();
    } else if (number < next.get()) {
      again.incrementAndGet();
    } else {
      outOfOrder.incrementAndGet();
    }
    consumer.acknowledgeAsync(message);
  }

  /** Messages received without a gap. */
  int count() {
    return next.get();
  }

  /** Messages that came more than once. */
  int again() {
    return again.get();
  }

  /** Messages that came before an earlier one had. */
  int outOfOrder() {
    return outOfOrder.get();
  }
}
