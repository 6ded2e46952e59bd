/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * A consumer of a Broadcast subscription with the stock Java client.
 *
 * <p>It receives the messages of {@link Publish}, whose payloads begin with their number, checks
 * that every one comes once and in order, and acknowledges each.
 */
public final class Receive {
  private static final int RECEIVE_TIMEOUT_MILLIS = 60_000;

  /** How long to wait for a message too many. */
  private static final int QUIET_MILLIS = 1_000;

  private Receive() {}

  public static void main(String[] args) throws PulsarClientException {
    if (args.length != 5) {
      System.err.println("usage: Receive SERVICE_URL TOPIC SUBSCRIPTION CONSUMER_NAME MESSAGES");
      System.exit(2);
    }
    if (!args[4].matches("\\d{1,9}")) {
      System.err.printf("MESSAGES is %s; allowed: a whole number, 0 or more%n", args[4]);
      System.exit(2);
    }
    int messages = Integer.parseInt(args[4]);
    String error;
    try (PulsarClient client = PulsarClient.builder().serviceUrl(args[0]).build();
        Consumer<byte[]> consumer =
            client
                .newConsumer()
                .topic(args[1])
                .subscriptionName(args[2])
                .consumerName(args[3])
                .subscriptionType(SubscriptionType.Exclusive)
                // The one line that makes it Broadcast.
                .property("pulsar.subscription.type", "Broadcast")
                .subscribe()) {
      System.out.println("subscribed");
      error = receive(consumer, messages);
    }
    if (error != null) {
      System.err.println(error);
      System.exit(1);
    }
    System.out.printf("received %d in order%n", messages);
  }

  /** Returns what went wrong, or null. */
  private static String receive(Consumer<byte[]> consumer, int messages)
      throws PulsarClientException {
    for (int expected = 0; expected < messages; expected++) {
      Integer number = receiveNumber(consumer, RECEIVE_TIMEOUT_MILLIS);
      if (number == null) {
        return "%d of %d received, then nothing for %d ms"
            .formatted(expected, messages, RECEIVE_TIMEOUT_MILLIS);
      }
      if (number != expected) {
        return "received message %d instead of %d".formatted(number, expected);
      }
    }
    Integer surplus = receiveNumber(consumer, QUIET_MILLIS);
    return surplus == null ? null : "received message %d after the last".formatted(surplus);
  }

  /**
   * Receives a message, acknowledges it, and returns the number its payload begins with; null when
   * none came in time.
   */
  private static Integer receiveNumber(Consumer<byte[]> consumer, int timeoutMillis)
      throws PulsarClientException {
    Message<byte[]> message = consumer.receive(timeoutMillis, TimeUnit.MILLISECONDS);
    if (message == null) {
      return null;
    }
    consumer.acknowledge(message);
    String payload = new String(message.getData(), US_ASCII);
    return Integer.valueOf(payload.substring(0, payload.indexOf(' ')));
  }
}
