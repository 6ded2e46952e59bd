/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConsumers;
import static io.pulsarbroadcast.it.Subscriptions.declare;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.DocumentedCommands.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * I1 and I4 for a function and a sink, which cannot set a consumer property, on a declared
 * subscription: the commands of docs/clients.md, with a function of the distribution, and a sink
 * that is made here because it has none.
 */
@ExtendWith(BrokerExtension.class)
@Tag("complete")
class FunctionsIT {
  private static final String FUNCTION = "bin/pulsar-admin functions localrun";
  private static final String SINK = "bin/pulsar-admin sinks localrun";

  /** Begins a line of the sink's output. */
  private static final String STORED = "stored ";

  private static final String SINK_SOURCE =
      """
      import java.util.Map;
      import org.apache.pulsar.functions.api.Record;
      import org.apache.pulsar.io.core.Sink;
      import org.apache.pulsar.io.core.SinkContext;

      public class Store implements Sink<String> {
        @Override
        public void open(Map<String, Object> config, SinkContext context) {}

        @Override
        public void write(Record<String> record) {
          System.out.println("stored " + record.getValue());
          record.ack();
        }

        @Override
        public void close() {}
      }
      """;

  @TempDir private Path folder;

  /** One test, because each start takes seconds. */
  @Test
  void shouldGiveAFunctionAndASinkEveryMessageAndResumeByName(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    declare(broker, topic, "alerts");
    try (Consumer<String> exclaimed = outputOf(broker, topic);
        StartedProgram sink = start(SINK, broker, topic)) {
      try (StartedProgram function = start(FUNCTION, broker, topic)) {
        awaitConsumers(broker, topic, "alerts", 2, StartedProgram.TIMEOUT);
        assertThat(stats(broker, topic, "alerts").getType()).isEqualTo("Broadcast");
        assertThat(stats(broker, topic, "alerts").getConsumers())
            .extracting(ConsumerStats::getConsumerName)
            .containsExactlyInAnyOrder("exclaim-1", "store-1");
        publish(broker, topic, 0, 10);
        assertThat(receiveAndAck(exclaimed, 10)).as(function::output).isEqualTo(loud(0, 10));
        assertThat(sink.printed(STORED, 10)).isEqualTo(values(0, 10));
        awaitBacklog(broker, topic, "alerts", 0);
      }
      awaitConsumers(broker, topic, "alerts", 1);
      publish(broker, topic, 10, 15);
      assertThat(sink.printed(STORED, 15)).isEqualTo(values(0, 15));
      try (StartedProgram again = start(FUNCTION, broker, topic)) {
        awaitConsumers(broker, topic, "alerts", 2, StartedProgram.TIMEOUT);
        assertThat(receiveAndAck(exclaimed, 5)).as(again::output).isEqualTo(loud(10, 15));
        awaitBacklog(broker, topic, "alerts", 0);
      }
    }
  }

  private static Consumer<String> outputOf(Broker broker, String topic) throws Exception {
    return broker
        .client()
        .newConsumer(Schema.STRING)
        .topic(topic + "-out")
        .subscriptionName("test")
        .subscribe();
  }

  /** What the function makes of the messages. */
  private static List<String> loud(int from, int to) {
    return values(from, to).stream().map(value -> value + "!").toList();
  }

  /** Starts what the page says to type, with what it leaves to the reader. */
  private StartedProgram start(String beginning, Broker broker, String topic) throws IOException {
    List<String> documented =
        DocumentedCommands.ofAllPages().stream()
            .filter(command -> command.page().equals("docs/clients.md"))
            .map(Command::text)
            .filter(text -> text.startsWith(beginning))
            .toList();
    assertThat(documented).hasSize(1);
    return LocalRun.start(
        documented
            .get(0)
            .replace("pulsar://localhost:6650", broker.process().serviceUrl())
            .replace("TOPIC", topic)
            .replace("store.nar", sinkNar().toString()),
        folder);
  }

  private Path sinkNar() throws IOException {
    Path nar = folder.resolve("store.nar");
    TestNar.write(
        nar,
        Path.of(System.getProperty("pulsar.home")),
        "Store",
        SINK_SOURCE,
        "pulsar-io.yaml",
        "name: store\ndescription: for a test\nsinkClass: Store\n");
    return nar;
  }
}
