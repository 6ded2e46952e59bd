/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * Publishes messages that begin with their number, from 0, and a space. Consecutive ones may travel
 * as a batch, as the client does by default.
 */
public final class Publish {
  private Publish() {}

  public static void main(String[] args) throws PulsarClientException {
    if (args.length != 4) {
      System.err.println("usage: Publish SERVICE_URL TOPIC MESSAGES SIZE_BYTES");
      System.exit(2);
    }
    int messages = number("MESSAGES", args[2]);
    int sizeBytes = number("SIZE_BYTES", args[3]);
    try (PulsarClient client = PulsarClient.builder().serviceUrl(args[0]).build();
        Producer<byte[]> producer =
            client
                .newProducer()
                .topic(args[1])
                .batchingMaxPublishDelay(1, TimeUnit.MILLISECONDS)
                .blockIfQueueFull(true)
                .create()) {
      List<CompletableFuture<MessageId>> sent = new ArrayList<>();
      for (int number = 0; number < messages; number++) {
        sent.add(producer.sendAsync(payload(number, sizeBytes)));
      }
      sent.forEach(CompletableFuture::join);
    }
    System.out.printf("published %d messages of %d bytes%n", messages, sizeBytes);
  }

  private static int number(String name, String value) {
    if (!value.matches("\\d{1,9}")) {
      System.err.printf("%s is %s; allowed: a whole number, 0 or more%n", name, value);
      System.exit(2);
    }
    return Integer.parseInt(value);
  }

  private static byte[] payload(int number, int sizeBytes) {
    byte[] text = (number + " ").getBytes(US_ASCII);
    byte[] payload = Arrays.copyOf(text, Math.max(text.length, sizeBytes));
    Arrays.fill(payload, text.length, payload.length, (byte) '.');
    return payload;
  }
}
