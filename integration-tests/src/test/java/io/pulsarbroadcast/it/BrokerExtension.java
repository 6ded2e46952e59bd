/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests one broker, shared by all test classes of a run: the unmodified distribution, in a
 * process of its own, with the packaged NAR. Tests that kill or reconfigure a broker start their
 * own with {@link #newBroker()}; a subclass shares one with other settings.
 */
class BrokerExtension implements BeforeAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(BrokerExtension.class);

  /** Options of a broker with the NAR and everything on that the tests use. */
  static PulsarProcessBuilder newBroker() {
    return plainBroker().nar(nar());
  }

  /** The same without the NAR. */
  static PulsarProcessBuilder plainBroker() {
    return PulsarProcess.builder()
        .pulsarHome(Path.of(System.getProperty("pulsar.home")))
        .keepLogs(Path.of(System.getProperty("broker.logs")))
        .setting("brokerDeleteInactiveTopicsEnabled", "false");
  }

  static Path nar() {
    return Path.of(System.getProperty("broadcast.nar"));
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    broker(context);
  }

  /** Starts the broker. */
  Broker start() {
    return Broker.startWithTransactions(newBroker());
  }

  private Broker broker(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(getClass(), key -> start(), Broker.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Broker.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return broker(context);
  }

  /** A running broker, with a client and an admin client of the stock kind. */
  static final class Broker implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    private final PulsarProcess process;
    private final PulsarClient client;
    private final PulsarAdmin admin;

    private final boolean transactions;

    private Broker(PulsarProcess process, boolean transactions) throws PulsarClientException {
      this.process = process;
      this.transactions = transactions;
      this.client = newClient();
      this.admin = PulsarAdmin.builder().serviceHttpUrl(process.adminUrl()).build();
    }

    static Broker start(PulsarProcessBuilder builder) {
      return start(builder, false);
    }

    static Broker startWithTransactions(PulsarProcessBuilder builder) {
      return start(builder.setting("transactionCoordinatorEnabled", "true"), true);
    }

    private static Broker start(PulsarProcessBuilder builder, boolean transactions) {
      try {
        PulsarProcess process = builder.build();
        try {
          return new Broker(process.start(), transactions);
        } catch (Exception e) {
          process.close();
          throw e;
        }
      } catch (Exception e) {
        throw new IllegalStateException("The broker did not start", e);
      }
    }

    PulsarProcess process() {
      return process;
    }

    PulsarClient client() {
      return client;
    }

    /** A client with connections of its own. */
    PulsarClient newClient() throws PulsarClientException {
      return PulsarClient.builder()
          .serviceUrl(process.serviceUrl())
          .enableTransaction(transactions)
          .build();
    }

    PulsarAdmin admin() {
      return admin;
    }

    static String newTopic() {
      return "persistent://public/default/" + UUID.randomUUID();
    }

    /** A stock Java consumer that only sets the consumer property. */
    ConsumerBuilder<String> broadcast(String topic, String subscription, String name) {
      return broadcast(client, topic, subscription, name);
    }

    static ConsumerBuilder<String> broadcast(
        PulsarClient client, String topic, String subscription, String name) {
      ConsumerBuilder<String> consumer =
          client
              .newConsumer(Schema.STRING)
              .topic(topic)
              .subscriptionName(subscription)
              .property("pulsar.subscription.type", "Broadcast");
      return name == null ? consumer : consumer.consumerName(name);
    }

    @Override
    public void close() throws IOException {
      client.close();
      admin.close();
      process.close();
    }
  }
}
