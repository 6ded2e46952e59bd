/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.client.ManyConsumers;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.DeadLetterPolicy;

/** How a stock client with many consumers is set up. Stateless; any thread may call it. */
public enum ClientSettings {
  /** As the client comes. */
  defaults,

  // Each of these changes one of the defaults.

  no_statistics {
    @Override
    void prepare(ClientBuilder client) {
      client.statsInterval(0, TimeUnit.SECONDS);
    }
  },
  acks_at_once {
    @Override
    void prepare(ConsumerBuilder<?> consumer, String topic, String name) {
      consumer.acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS);
    }
  },
  acks_within_10_s {
    @Override
    void prepare(ConsumerBuilder<?> consumer, String topic, String name) {
      consumer.acknowledgmentGroupTime(10, TimeUnit.SECONDS);
    }
  },
  four_connections {
    @Override
    void prepare(ClientBuilder client) {
      client.connectionsPerBroker(4);
    }
  },
  queue_of_10 {
    @Override
    void prepare(ConsumerBuilder<?> consumer, String topic, String name) {
      consumer.receiverQueueSize(10);
    }
  },

  /** Those of {@link ManyConsumers}. */
  many {
    @Override
    void prepare(ClientBuilder client) {
      ManyConsumers.prepare(client);
    }

    @Override
    void prepare(ConsumerBuilder<?> consumer, String topic, String name) {
      ManyConsumers.prepare(consumer);
    }
  },

  /** The same, with a retry letter topic for each consumer. */
  many_retry_topics {
    @Override
    void prepare(ClientBuilder client) {
      many.prepare(client);
    }

    @Override
    void prepare(ConsumerBuilder<?> consumer, String topic, String name) {
      many.prepare(consumer, topic, name);
      retry(consumer, topic, topic + "-" + name + "-RETRY");
    }
  },

  /** The same, with one for all. */
  one_retry_topic {
    @Override
    void prepare(ClientBuilder client) {
      many.prepare(client);
    }

    @Override
    void prepare(ConsumerBuilder<?> consumer, String topic, String name) {
      many.prepare(consumer, topic, name);
      retry(consumer, topic, topic + "-RETRY");
    }
  };

  void prepare(ClientBuilder client) {}

  void prepare(ConsumerBuilder<?> consumer, String topic, String name) {}

  private static void retry(ConsumerBuilder<?> consumer, String topic, String retryTopic) {
    consumer
        .enableRetry(true)
        .deadLetterPolicy(
            DeadLetterPolicy.builder()
                .maxRedeliverCount(3)
                .retryLetterTopic(retryTopic)
                .deadLetterTopic(topic + "-DLQ")
                .build());
  }
}
