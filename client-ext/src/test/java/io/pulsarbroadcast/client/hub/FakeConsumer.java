/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException.AlreadyClosedException;
import org.apache.pulsar.client.impl.MessageIdImpl;

/** A consumer for one hub, which receives what a test sends, with the client's own ids. */
final class FakeConsumer {
  static final String TOPIC = "persistent://public/default/t";

  private final Consumer<String> consumer = proxy(Consumer.class, this::call);
  private final Queue<Message<String>> incoming = new ArrayDeque<>();
  private final List<MessageId> acknowledged = new ArrayList<>();
  private CompletableFuture<Message<String>> receive;
  private Throwable failure;
  private boolean closed;
  private long ackTimeout = 1;
  private final Map<String, String> properties = new TreeMap<>();

  /** A builder that subscribes it. */
  BroadcastHubBuilder<String> hub() {
    ConsumerBuilder<String> builder =
        proxy(
            ConsumerBuilder.class,
            (self, method, args) -> {
              if (method.getName().equals("ackTimeout")) {
                ackTimeout = (long) args[0];
              }
              if (method.getName().equals("property")) {
                properties.put((String) args[0], (String) args[1]);
              }
              return method.getName().equals("subscribe") ? consumer : self;
            });
    return BroadcastHub.builder(builder);
  }

  /** What its builder was told last. */
  long ackTimeout() {
    return ackTimeout;
  }

  /** What its builder was told. */
  Map<String, String> properties() {
    return properties;
  }

  private synchronized Object call(Object self, java.lang.reflect.Method method, Object[] args) {
    switch (method.getName()) {
      case "receiveAsync":
        return receiveAsync();
      case "acknowledgeAsync":
        acknowledged.add((MessageId) args[0]);
        return CompletableFuture.completedFuture(null);
      case "close":
        closed = true;
        return null;
      case "closeAsync":
        closed = true;
        return CompletableFuture.completedFuture(null);
      default:
        throw new UnsupportedOperationException(method.toString());
    }
  }

  private CompletableFuture<Message<String>> receiveAsync() {
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    if (receive != null && !receive.isDone()) {
      throw new IllegalStateException("Two reads at a time have no order");
    }
    Message<String> next = incoming.poll();
    receive = next == null ? new CompletableFuture<>() : CompletableFuture.completedFuture(next);
    return receive;
  }

  /** Sends it message {@code number} of the topic, or sends that again. */
  void send(int number) {
    send(message(id(number), TOPIC, "message-" + number));
  }

  void send(int from, int to) {
    for (int number = from; number < to; number++) {
      send(number);
    }
  }

  void send(Message<String> message) {
    CompletableFuture<Message<String>> waiting;
    synchronized (this) {
      if (receive == null || receive.isDone()) {
        incoming.add(message);
        return;
      }
      waiting = receive;
    }
    waiting.complete(message);
  }

  /** Every receive fails from now on. */
  void fail(Throwable reason) {
    CompletableFuture<Message<String>> waiting;
    synchronized (this) {
      failure = reason;
      waiting = receive;
    }
    if (waiting != null) {
      waiting.completeExceptionally(reason);
    }
  }

  void endByClient() {
    fail(new AlreadyClosedException("Consumer already closed"));
  }

  static MessageId id(int number) {
    return new MessageIdImpl(7, number, -1);
  }

  static Message<String> message(MessageId id, String topic, String value) {
    return proxy(
        Message.class,
        (self, method, args) ->
            switch (method.getName()) {
              case "getMessageId" -> id;
              case "getTopicName" -> topic;
              case "getValue" -> value;
              default -> throw new UnsupportedOperationException(method.toString());
            });
  }

  synchronized List<MessageId> acknowledged() {
    return List.copyOf(acknowledged);
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** What is sent and was not read. */
  synchronized int unread() {
    return incoming.size();
  }

  /** How often each was acknowledged. */
  synchronized Map<MessageId, Integer> acknowledgements() {
    Map<MessageId, Integer> counts = new TreeMap<>();
    acknowledged.forEach(id -> counts.merge(id, 1, Integer::sum));
    return counts;
  }

  @SuppressWarnings("unchecked")
  private static <T> T proxy(Class<? super T> type, InvocationHandler handler) {
    return (T)
        Proxy.newProxyInstance(
            FakeConsumer.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == args[0];
                  case "toString" -> type.getSimpleName();
                  default -> handler.invoke(self, method, args);
                });
  }
}
