/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.receiveValues;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.schema.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 with schemas: every consumer can read what it is given, and takes the broker's checks. */
@ExtendWith(BrokerExtension.class)
class SchemaIT {

  /** What is published. */
  public static class Sighting {
    public String plate;
    public int kmPerHour;
  }

  @Test
  void shouldDeliverAvro(Broker broker) throws Exception {
    assertDelivers(broker, Schema.AVRO(Sighting.class));
  }

  @Test
  void shouldDeliverJson(Broker broker) throws Exception {
    assertDelivers(broker, Schema.JSON(Sighting.class));
  }

  private static void assertDelivers(Broker broker, Schema<Sighting> schema) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<Sighting> a = broadcast(broker, topic, "a", schema).subscribe();
        Consumer<GenericRecord> generic =
            broadcast(broker, topic, "generic", Schema.AUTO_CONSUME())
                .subscriptionType(SubscriptionType.Shared)
                .subscribe()) {
      publishSightings(broker, topic, schema);

      assertThat(receiveValues(a, 5))
          .extracting(sighting -> sighting.plate + " " + sighting.kmPerHour)
          .containsExactly("car-0 0", "car-1 10", "car-2 20", "car-3 30", "car-4 40");
      assertThat(receiveValues(generic, 5))
          .extracting(record -> record.getField("plate") + " " + record.getField("kmPerHour"))
          .containsExactly("car-0 0", "car-1 10", "car-2 20", "car-3 30", "car-4 40");
    }
  }

  @Test
  void shouldRefuseAConsumerOfAnotherSchemaAndServeTheOthers(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Schema<Sighting> schema = Schema.AVRO(Sighting.class);
    try (Consumer<Sighting> a = broadcast(broker, topic, "a", schema).subscribe()) {
      assertThatThrownBy(() -> broadcast(broker, topic, "b", Schema.INT32).subscribe())
          .isInstanceOf(PulsarClientException.IncompatibleSchemaException.class);
      publishSightings(broker, topic, schema);
      assertThat(receiveValues(a, 5)).hasSize(5);
    }
  }

  private static void publishSightings(Broker broker, String topic, Schema<Sighting> schema)
      throws PulsarClientException {
    try (Producer<Sighting> producer = broker.client().newProducer(schema).topic(topic).create()) {
      for (int i = 0; i < 5; i++) {
        Sighting sighting = new Sighting();
        sighting.plate = "car-" + i;
        sighting.kmPerHour = 10 * i;
        producer.send(sighting);
      }
    }
  }

  private static <T> ConsumerBuilder<T> broadcast(
      Broker broker, String topic, String name, Schema<T> schema) {
    return broker
        .client()
        .newConsumer(schema)
        .topic(topic)
        .subscriptionName("all")
        .consumerName(name)
        .property("pulsar.subscription.type", "Broadcast");
  }
}
