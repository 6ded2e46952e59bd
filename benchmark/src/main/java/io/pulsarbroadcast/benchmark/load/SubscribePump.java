/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import org.apache.pulsar.common.api.proto.ServerError;

/**
 * Subscribes the consumers of one connection, with a bounded number of requests unanswered. Only
 * that connection's event loop may call it.
 *
 * <p>The id of a request is its consumer's row, so that an answer is found without a map.
 */
final class SubscribePump {
  private static final long UNSUBSCRIBE_ID_BASE = 1L << 40;
  private static final long LOOKUP_ID_BASE = 1L << 41;

  private final LoadConfig config;
  private final ConsumerTable table;
  private final FleetCounters counters;
  private final CommandWriter writer;
  private final int first;
  private final int end;
  private final IntRing pending;
  private int unanswered;
  private boolean leaving;

  /** For the rows from {@code first} to before {@code end}. */
  SubscribePump(
      LoadConfig config,
      ConsumerTable table,
      FleetCounters counters,
      CommandWriter writer,
      int first,
      int end) {
    this.config = config;
    this.table = table;
    this.counters = counters;
    this.writer = writer;
    this.first = first;
    this.end = end;
    this.pending = new IntRing(end - first);
    for (int consumer = first; consumer < end; consumer++) {
      pending.add(consumer);
    }
  }

  boolean owns(long consumer) {
    return consumer >= first && consumer < end;
  }

  /** Sends as many requests as the window allows. */
  void pump() {
    while (unanswered < config.subscribeWindow && !pending.isEmpty()) {
      int consumer = pending.remove();
      unanswered++;
      if (leaving) {
        table.state[consumer] = ConsumerTable.LEAVING;
        writer.unsubscribe(consumer, UNSUBSCRIBE_ID_BASE + consumer);
      } else if (config.lookupPerConsumer) {
        begin(consumer);
        table.state[consumer] = ConsumerTable.LOOKING_UP;
        writer.lookup(config.topic, LOOKUP_ID_BASE + consumer, false);
      } else {
        begin(consumer);
        subscribe(consumer);
      }
    }
  }

  private void begin(int consumer) {
    if (table.firstSubscribeNanos[consumer] == 0) {
      table.firstSubscribeNanos[consumer] = System.nanoTime();
    }
  }

  private void subscribe(int consumer) {
    table.subscribing(consumer);
    if (config.deliveryListener != null) {
      config.deliveryListener.subscribing(consumer);
    }
    writer.subscribe(config, consumer, consumer);
  }

  /** A consumer's lookup has ended; true when it is to be tried again after a new lookup. */
  boolean lookedUp(long requestId, boolean found) {
    long consumer = requestId - LOOKUP_ID_BASE;
    if (!owns(consumer) || table.state[(int) consumer] != ConsumerTable.LOOKING_UP) {
      return false;
    }
    if (found) {
      subscribe((int) consumer);
    } else {
      unanswered--;
      requeue((int) consumer);
    }
    return !found;
  }

  /** Whether this is the answer to the lookup of a consumer, and not of the connection. */
  static boolean isOfConsumer(long lookupRequestId) {
    return lookupRequestId >= LOOKUP_ID_BASE && lookupRequestId < 2 * LOOKUP_ID_BASE;
  }

  /** The broker has done what was asked. */
  void succeeded(long requestId) {
    if (requestId >= UNSUBSCRIBE_ID_BASE) {
      unanswered--;
      counters.left.incrementAndGet();
      return;
    }
    if (!owns(requestId)) {
      counters.protocolError("Success of an unknown request " + requestId);
      return;
    }
    int consumer = (int) requestId;
    if (table.state[consumer] != ConsumerTable.SUBSCRIBING) {
      return;
    }
    unanswered--;
    table.state[consumer] = ConsumerTable.SUBSCRIBED;
    if (config.deliveryListener != null) {
      config.deliveryListener.subscribed(consumer);
    }
    long nowNanos = System.nanoTime();
    if (table.connectMicros[consumer] < 0) {
      long micros = (nowNanos - table.firstSubscribeNanos[consumer]) / 1_000;
      table.connectMicros[consumer] = (int) Math.min(Integer.MAX_VALUE, micros);
    }
    if (config.receiverQueueSize > 0) {
      writer.flow(consumer, config.receiverQueueSize);
    }
    counters.subscribed(nowNanos);
  }

  /** The broker has refused; true when the consumer is to be tried again after a new lookup. */
  boolean refused(long requestId, ServerError error, String message) {
    String text = error + ": " + message;
    if (requestId >= UNSUBSCRIBE_ID_BASE) {
      unanswered--;
      counters.note(text);
      counters.left.incrementAndGet();
      return false;
    }
    if (!owns(requestId)) {
      counters.protocolError(text);
      return false;
    }
    int consumer = (int) requestId;
    if (table.state[consumer] != ConsumerTable.SUBSCRIBING) {
      return false;
    }
    unanswered--;
    if (config.deliveryListener != null) {
      config.deliveryListener.refused(consumer);
    }
    if (config.reconnect || passesByItself(error)) {
      counters.note(text);
      requeue(consumer);
      return true;
    }
    table.state[consumer] = ConsumerTable.FAILED;
    counters.failed(text);
    return false;
  }

  private static boolean passesByItself(ServerError error) {
    return error == ServerError.ServiceNotReady || error == ServerError.TooManyRequests;
  }

  /** The broker has closed a consumer, as it does when it unloads a topic; true to try again. */
  boolean closedByBroker(long consumerId) {
    if (!owns(consumerId)) {
      return false;
    }
    int consumer = (int) consumerId;
    if (table.state[consumer] != ConsumerTable.SUBSCRIBED) {
      return false;
    }
    counters.subscribed.decrementAndGet();
    counters.closedByBroker.incrementAndGet();
    if (config.reconnect) {
      requeue(consumer);
      return true;
    }
    table.state[consumer] = ConsumerTable.FAILED;
    counters.failed("The broker closed consumer " + config.consumerName.apply(consumer));
    return false;
  }

  private void requeue(int consumer) {
    table.state[consumer] = ConsumerTable.PENDING;
    pending.add(consumer);
  }

  /** Nothing that was asked will be answered: every consumer waits for the next connection. */
  void connectionLost() {
    int lost = 0;
    pending.clear();
    unanswered = 0;
    for (int consumer = first; consumer < end; consumer++) {
      if (table.state[consumer] == ConsumerTable.SUBSCRIBED) {
        lost++;
      }
      if (table.state[consumer] != ConsumerTable.FAILED && !leaving) {
        requeue(consumer);
      }
    }
    counters.subscribed.addAndGet(-lost);
  }

  /** From now on, consumers that are subscribed unsubscribe. */
  void leave() {
    leaving = true;
    pending.clear();
    for (int consumer = first; consumer < end; consumer++) {
      if (table.state[consumer] == ConsumerTable.SUBSCRIBED) {
        counters.subscribed.decrementAndGet();
        pending.add(consumer);
      } else {
        counters.left.incrementAndGet();
      }
    }
    pump();
  }
}
