/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import io.openmessaging.benchmark.driver.ConsumerCallback;
import io.pulsarbroadcast.benchmark.config.AckKind;
import java.nio.ByteBuffer;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.MessageListener;

/**
 * Takes the messages of one consumer of one partition: hands them on, keeps its trail,
 * acknowledges. The client's listener thread of that consumer calls it.
 */
final class TrackedConsumer implements MessageListener<ByteBuffer> {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final transient PositionTrail trail;
  private final transient ConsumerCallback callback;
  private final AckKind ack;

  TrackedConsumer(String name, PositionTrail trail, ConsumerCallback callback, AckKind ack) {
    this.name = name;
    this.trail = trail;
    this.callback = callback;
    this.ack = ack;
  }

  @Override
  public void received(Consumer<ByteBuffer> consumer, Message<ByteBuffer> message) {
    try {
      callback.messageReceived(message.getValue(), message.getPublishTime());
      MessageIdAdv id = (MessageIdAdv) message.getMessageId();
      trail.received(id.getLedgerId(), id.getEntryId(), id.getBatchIndex(), id.getBatchSize());
      acknowledge(consumer, message);
    } finally {
      message.release();
    }
  }

  private void acknowledge(Consumer<ByteBuffer> consumer, Message<ByteBuffer> message) {
    switch (ack) {
      case cumulative:
        consumer.acknowledgeCumulativeAsync(message);
        break;
      case individual:
        consumer.acknowledgeAsync(message);
        break;
      case none:
        break;
    }
  }

  String name() {
    return name;
  }

  PositionTrail trail() {
    return trail;
  }
}
