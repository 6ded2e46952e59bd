/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.TopicConsumerBuilder;

/**
 * A Pulsar client that records what its builders are told, and lets a test answer for the broker.
 */
final class FakePulsar {
  private static final Properties REFUSALS = refusals();

  record Call(String method, List<Object> args) {}

  /** A subscribe as the broker would see it. */
  record Subscribe(List<Call> calls) {
    List<Object> all(String method) {
      return calls.stream()
          .filter(call -> call.method().equals(method))
          .map(call -> call.args().get(0))
          .toList();
    }

    Object last(String method) {
      List<Object> values = all(method);
      return values.isEmpty() ? null : values.get(values.size() - 1);
    }

    Map<String, String> properties() {
      Map<String, String> properties = new TreeMap<>();
      for (Call call : calls) {
        if (call.method().equals("property")) {
          properties.put((String) call.args().get(0), (String) call.args().get(1));
        }
      }
      return properties;
    }

    /** The whole name of the topic, as brokers and clients write it. */
    String topic() {
      String topic = (String) last("topic");
      return topic.contains("://") ? topic : "persistent://public/default/" + topic;
    }

    boolean isProbe() {
      return "probe".equals(properties().get("pulsar.subscription.type"));
    }
  }

  final List<Subscribe> subscribes = new CopyOnWriteArrayList<>();
  final List<Call> clientCalls = new CopyOnWriteArrayList<>();
  final AtomicInteger closedConsumers = new AtomicInteger();
  volatile Function<Subscribe, CompletableFuture<Consumer<?>>> broker = this::withPlugin;
  volatile Function<String, List<String>> partitionsOf = List::of;
  volatile boolean closed;
  final PulsarClient client = proxy(PulsarClient.class, this::onClient);
  final BroadcastClient broadcast = BroadcastClient.wrap(client);

  List<Subscribe> probes() {
    return subscribes.stream().filter(Subscribe::isProbe).toList();
  }

  List<Subscribe> real() {
    return subscribes.stream().filter(subscribe -> !subscribe.isProbe()).toList();
  }

  CompletableFuture<Consumer<?>> withPlugin(Subscribe subscribe) {
    return subscribe.isProbe() ? fail(pluginRefuses()) : accept();
  }

  /** How the plugin refuses the type of a probe. */
  static NotAllowedException pluginRefuses() {
    return refusal(REFUSALS.getProperty("plugin"));
  }

  /** How any broker refuses a subscription that is one too many. */
  static NotAllowedException limitRefuses(Subscribe subscribe) {
    return refusal(REFUSALS.getProperty("limit").formatted(subscribe.topic()));
  }

  private static NotAllowedException refusal(String brokerSays) {
    return new NotAllowedException(REFUSALS.getProperty("client").formatted(brokerSays));
  }

  private static Properties refusals() {
    Properties refusals = new Properties();
    try (InputStream file = FakePulsar.class.getResourceAsStream("/refusals.properties")) {
      refusals.load(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return refusals;
  }

  CompletableFuture<Consumer<?>> accept() {
    return CompletableFuture.completedFuture(consumer());
  }

  static CompletableFuture<Consumer<?>> fail(Throwable failure) {
    return CompletableFuture.failedFuture(failure);
  }

  Consumer<?> consumer() {
    return proxy(
        Consumer.class,
        (self, method, args) -> {
          if (method.getName().equals("closeAsync")) {
            closedConsumers.incrementAndGet();
            return CompletableFuture.completedFuture(null);
          }
          throw new UnsupportedOperationException(method.toString());
        });
  }

  private Object onClient(Object self, Method method, Object[] args) throws Throwable {
    switch (method.getName()) {
      case "newConsumer":
        return new Builder(new ArrayList<>()).proxy;
      case "close":
        throw new PulsarClientException("cannot close");
      case "isClosed":
        return closed;
      case "getPartitionsForTopic":
        if (method.isDefault()) {
          return InvocationHandler.invokeDefault(self, method, args);
        }
        clientCalls.add(new Call(method.getName(), Arrays.asList(args)));
        return CompletableFuture.completedFuture(partitionsOf.apply((String) args[0]));
      case "toString":
        return "the fake";
      default:
        break;
    }
    clientCalls.add(new Call(method.getName(), args == null ? List.of() : Arrays.asList(args)));
    return null;
  }

  /** Pulsar's builder: mutable, returns itself, and its clone has no interceptors. */
  private final class Builder implements InvocationHandler {
    private final List<Call> calls;
    private final ConsumerBuilder<?> proxy = proxy(ConsumerBuilder.class, this);

    Builder(List<Call> calls) {
      this.calls = calls;
    }

    @Override
    public Object invoke(Object self, Method method, Object[] args) throws Throwable {
      switch (method.getName()) {
        case "clone":
          return new Builder(new ArrayList<>(calls.stream().filter(this::isCloned).toList())).proxy;
        case "subscribeAsync":
          return subscribeAsync();
        case "subscribe":
          try {
            return subscribeAsync().get();
          } catch (ExecutionException e) {
            throw PulsarClientException.unwrap(e);
          }
        case "topic":
          return recordTopics(Arrays.asList((Object[]) args[0]));
        case "topics":
          return recordTopics((List<?>) args[0]);
        case "receiverQueueSize":
          if ((int) args[0] < 0) {
            throw new IllegalArgumentException("receiverQueueSize needs to be >= 0");
          }
          return record(method.getName(), args);
        case "topicConfiguration":
          record(method.getName(), args);
          return args.length == 1 ? topicBuilder() : self;
        case "toString":
          return "the fake builder";
        default:
          return record(method.getName(), args == null ? new Object[] {null} : args);
      }
    }

    private boolean isCloned(Call call) {
      return !call.method().equals("intercept");
    }

    private CompletableFuture<Consumer<?>> subscribeAsync() {
      Subscribe subscribe = new Subscribe(List.copyOf(calls));
      subscribes.add(subscribe);
      return broker.apply(subscribe);
    }

    private Object recordTopics(List<?> topics) {
      topics.forEach(topic -> record("topic", topic));
      return proxy;
    }

    private Object record(String method, Object... args) {
      calls.add(new Call(method, Arrays.asList(args)));
      return proxy;
    }

    private Object topicBuilder() {
      return proxy(
          TopicConsumerBuilder.class,
          (self, method, args) -> {
            if (method.getName().equals("build")) {
              return proxy;
            }
            record("topic." + method.getName(), args);
            return self;
          });
    }
  }

  @SuppressWarnings("unchecked")
  private static <T> T proxy(Class<? super T> type, InvocationHandler handler) {
    return (T)
        Proxy.newProxyInstance(
            FakePulsar.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == args[0];
                  default -> handler.invoke(self, method, args);
                });
  }
}
