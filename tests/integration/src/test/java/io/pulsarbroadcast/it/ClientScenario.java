/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.BroadcastConsumerBuilder;
import io.pulsarbroadcast.client.hub.BroadcastHub;
import io.pulsarbroadcast.client.hub.HubSession;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * What {@link ClientLinesIT} does with the client of a line. It is loaded beside that client, and
 * uses nothing else of the tests.
 */
public final class ClientScenario {

  static final int MESSAGES = 10;
  static final int BEFORE_LEAVING = 4;

  private ClientScenario() {}

  /**
   * What each consumer received. "car" leaves after some messages and returns under its name;
   * "beside" acknowledges cumulatively at the end; "unordered" asks for the first message again.
   */
  public static Map<String, List<String>> run(String serviceUrl, String topic, boolean extension)
      throws PulsarClientException {
    Map<String, List<String>> received = new LinkedHashMap<>();
    try (PulsarClient client = PulsarClient.builder().serviceUrl(serviceUrl).build();
        Consumer<String> beside = ordered(client, topic, "beside", extension);
        Consumer<String> unordered = unordered(client, topic, extension)) {
      try (Consumer<String> car = ordered(client, topic, "car", extension)) {
        publish(client, topic);
        received.put("car", receiveAndAck(car, BEFORE_LEAVING));
      }
      try (Consumer<String> car = ordered(client, topic, "car", extension)) {
        received.put("car again", receiveAndAck(car, MESSAGES - BEFORE_LEAVING));
      }
      List<Message<String>> last = receive(beside, MESSAGES);
      beside.acknowledgeCumulative(last.get(MESSAGES - 1));
      received.put("beside", values(last));
      List<Message<String>> all = receive(unordered, MESSAGES);
      unordered.negativeAcknowledge(all.get(0));
      for (Message<String> message : all.subList(1, MESSAGES)) {
        unordered.acknowledge(message);
      }
      received.put("unordered", values(all));
      received.put("unordered again", receiveAndAck(unordered, 1));
    }
    return received;
  }

  /** What a session of a hub receives, which acknowledges it with an id that was serialised. */
  public static List<String> runHub(String serviceUrl, String topic) throws Exception {
    try (PulsarClient client = PulsarClient.builder().serviceUrl(serviceUrl).build();
        BroadcastHub<String> hub =
            BroadcastHub.builder(ext(client, topic, "hub")).resumeTime(Duration.ZERO).subscribe()) {
      Receiver receiver = new Receiver();
      hub.open("session", SubscriptionInitialPosition.Latest, receiver);
      publish(client, topic);
      return receiver.all.get(1, TimeUnit.MINUTES);
    }
  }

  private static final class Receiver implements Flow.Subscriber<Message<String>> {
    private final CompletableFuture<List<String>> all = new CompletableFuture<>();
    private final List<String> values = new ArrayList<>();
    private HubSession session;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      session = (HubSession) subscription;
      session.request(1);
    }

    @Override
    public void onNext(Message<String> message) {
      values.add(message.getValue());
      try {
        session.acknowledge(MessageId.fromByteArray(message.getMessageId().toByteArray()));
      } catch (IOException e) {
        all.completeExceptionally(e);
      }
      session.request(1);
      if (values.size() == MESSAGES) {
        all.complete(List.copyOf(values));
      }
    }

    @Override
    public void onError(Throwable reason) {
      all.completeExceptionally(reason);
    }

    @Override
    public void onComplete() {}
  }

  private static Consumer<String> ordered(
      PulsarClient client, String topic, String name, boolean extension)
      throws PulsarClientException {
    return (extension
            ? ext(client, topic, name)
            : stock(client, topic, name).subscriptionType(SubscriptionType.Exclusive))
        .subscribe();
  }

  private static Consumer<String> unordered(PulsarClient client, String topic, boolean extension)
      throws PulsarClientException {
    return (extension
            ? ext(client, topic, "unordered").unordered()
            : stock(client, topic, "unordered").subscriptionType(SubscriptionType.Shared))
        .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
        .subscribe();
  }

  private static ConsumerBuilder<String> stock(PulsarClient client, String topic, String name) {
    return client
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName("all")
        .property("pulsar.subscription.type", "Broadcast")
        // Else the consumer's close can overtake what its timer is just sending.
        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
        .consumerName(name);
  }

  private static BroadcastConsumerBuilder<String> ext(
      PulsarClient client, String topic, String name) {
    return BroadcastClient.wrap(client)
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName("all")
        .subscriptionType(io.pulsarbroadcast.client.SubscriptionType.Broadcast)
        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
        .consumerName(name);
  }

  private static void publish(PulsarClient client, String topic) throws PulsarClientException {
    try (Producer<String> producer = client.newProducer(Schema.STRING).topic(topic).create()) {
      for (int i = 0; i < MESSAGES; i++) {
        producer.send("message-" + i);
      }
    }
  }

  private static List<String> receiveAndAck(Consumer<String> consumer, int count)
      throws PulsarClientException {
    List<Message<String>> messages = receive(consumer, count);
    for (Message<String> message : messages) {
      consumer.acknowledge(message);
    }
    return values(messages);
  }

  private static List<Message<String>> receive(Consumer<String> consumer, int count)
      throws PulsarClientException {
    List<Message<String>> messages = new ArrayList<>();
    while (messages.size() < count) {
      Message<String> message = consumer.receive(60, TimeUnit.SECONDS);
      if (message == null) {
        throw new IllegalStateException(
            consumer.getConsumerName() + " received only " + values(messages));
      }
      messages.add(message);
    }
    return messages;
  }

  private static List<String> values(List<Message<String>> messages) {
    return messages.stream().map(Message::getValue).toList();
  }
}
