/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.transaction.Transaction;

/** Publishes to one topic in each of the ways there are. One thread's at a time. */
final class Publisher {

  private static final int DELAY_MILLIS = 300;

  private final PulsarClient client;
  private final String topic;
  private Producer<String> producer;
  private Transaction open;

  Publisher(PulsarClient client, String topic) {
    this.client = client;
    this.topic = topic;
  }

  List<MessageId> publish(List<String> values) throws PulsarClientException {
    Producer<String> to = producer();
    List<CompletableFuture<MessageId>> sent = values.stream().map(to::sendAsync).toList();
    return sent.stream().map(CompletableFuture::join).toList();
  }

  List<MessageId> publishDelayed(List<String> values) throws PulsarClientException {
    List<MessageId> ids = new ArrayList<>();
    for (String value : values) {
      ids.add(
          producer()
              .newMessage()
              .value(value)
              .deliverAfter(DELAY_MILLIS, TimeUnit.MILLISECONDS)
              .send());
    }
    return ids;
  }

  List<MessageId> publishBatch(List<String> values) throws PulsarClientException {
    try (Producer<String> batching =
        client
            .newProducer(Schema.STRING)
            .topic(topic)
            .batchingMaxMessages(values.size())
            .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
            .create()) {
      List<CompletableFuture<MessageId>> sent = values.stream().map(batching::sendAsync).toList();
      batching.flush();
      return sent.stream().map(CompletableFuture::join).toList();
    }
  }

  /** Publishes in the transaction that is open, or a new one. */
  List<MessageId> publishInTransaction(List<String> values) throws Exception {
    if (open == null) {
      open = client.newTransaction().withTransactionTimeout(10, TimeUnit.MINUTES).build().get();
    }
    List<MessageId> ids = new ArrayList<>();
    for (String value : values) {
      ids.add(producer().newMessage(open).value(value).send());
    }
    return ids;
  }

  void endTransaction(boolean commit) throws Exception {
    Transaction ending = open;
    open = null;
    (commit ? ending.commit() : ending.abort()).get();
  }

  private Producer<String> producer() throws PulsarClientException {
    if (producer == null) {
      producer =
          client
              .newProducer(Schema.STRING)
              .topic(topic)
              .enableBatching(false)
              .sendTimeout(0, TimeUnit.SECONDS)
              .create();
    }
    return producer;
  }

  /** Whether there is no producer, or one that is connected: one that is not would come later. */
  boolean isSettled() {
    return producer == null || producer.isConnected();
  }

  void close() throws PulsarClientException {
    if (producer != null) {
      producer.close();
      producer = null;
    }
  }
}
