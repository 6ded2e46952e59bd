/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The consumers of one connection and what is to be written to them, in turn as the socket takes
 * it. Only the connection's event loop may call it.
 */
final class FloorFanout {
  private final Channel channel;
  private final FloorFrames frames;
  private final ArrayDeque<FloorMessage> messages = new ArrayDeque<>();
  private int[] consumers = new int[1];
  private int count;
  private int nextConsumer;
  private boolean draining;

  FloorFanout(Channel channel) {
    this.channel = channel;
    this.frames = new FloorFrames(channel);
  }

  void add(int consumerId) {
    if (count == consumers.length) {
      consumers = Arrays.copyOf(consumers, count * 2);
    }
    consumers[count++] = consumerId;
  }

  /** Takes over one reference. */
  void offer(FloorMessage message) {
    if (count == 0 || !channel.isActive()) {
      message.release();
      return;
    }
    messages.add(message);
    drain();
  }

  /** Writes as much as the socket takes. */
  void drain() {
    if (draining) {
      return;
    }
    draining = true;
    while (!messages.isEmpty() && channel.isWritable()) {
      FloorMessage message = messages.peek();
      while (nextConsumer < count && channel.isWritable()) {
        frames.write(message, consumers[nextConsumer++]);
      }
      frames.flush();
      if (nextConsumer == count) {
        nextConsumer = 0;
        messages.remove().release();
      }
    }
    draining = false;
  }

  /** The connection is gone. */
  void close() {
    count = 0;
    frames.discard();
    messages.forEach(FloorMessage::release);
    messages.clear();
  }
}
