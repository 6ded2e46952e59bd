/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.benchmark.server.Jcmd;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.AutoSubscriptionCreationOverride;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests one broker, shared by all test classes of a run: the unmodified distribution, in a
 * process of its own, with the packaged NAR; or, in the run for a line without a distribution, a
 * broker made of that line's class path. Tests that kill or reconfigure a broker start their own
 * with {@link #newBroker()}; a subclass shares one with other settings.
 */
public class BrokerExtension implements BeforeAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(BrokerExtension.class);

  /** Option of a broker's JVM: a level of Netty's ResourceLeakDetector. */
  static final String LEAK_DETECTION = "-Dpulsar.allocator.leak_detection=";

  private static final Duration SHORTEST_POLL = Duration.ofMillis(100);
  private static final Duration LONGEST_POLL = Duration.ofMillis(400);

  private static final ClassArchive CLASS_ARCHIVE =
      ClassArchive.in(Path.of(System.getProperty("broker.class.archives")), version());

  static {
    // A machine that is busy must not fail a test.
    Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    // Requests for statistics, ten per second and test, took half of what the broker took.
    Awaitility.setDefaultPollInterval(
        IterativePollInterval.iterative(BrokerExtension::longer, SHORTEST_POLL));
  }

  private static Duration longer(Duration poll) {
    return poll.compareTo(LONGEST_POLL) < 0 ? poll.multipliedBy(2) : poll;
  }

  /** Options of a broker with the NAR and everything on that the tests use. */
  static PulsarProcessBuilder newBroker() {
    return plainBroker().nar(nar());
  }

  /** The same without the NAR. */
  static PulsarProcessBuilder plainBroker() {
    PulsarProcessBuilder broker = completeHome();
    CLASS_ARCHIVE.use(broker);
    return broker;
  }

  /** The same with everything in its home that the distribution has; it takes longer to start. */
  static PulsarProcessBuilder completeHome() {
    PulsarProcessBuilder broker =
        PulsarProcess.builder()
            .pulsarHome(Path.of(System.getProperty("pulsar.home")))
            .keepLogs(Path.of(System.getProperty("broker.logs")))
            .lightJvm()
            // The build fails on what Netty then says of a buffer that was not released.
            .jvmOption(LEAK_DETECTION + "Paranoid")
            // Who took and released it; every look at it would cost as much as all the rest.
            .jvmOption("-Dio.netty.leakDetection.acquireAndReleaseOnly=true")
            // By default a thread goes through all topics a hundred times per second.
            .setting("managedLedgerCacheEvictionIntervalMs", "1000")
            .setting("brokerDeleteInactiveTopicsEnabled", "false");
    String classPathFile = System.getProperty("broker.class.path.file");
    return classPathFile == null ? broker : broker.classPath(read(Path.of(classPathFile)));
  }

  /** The broker version that this run of the tests is for. */
  static String version() {
    return System.getProperty("broker.version");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path nar() {
    return Path.of(System.getProperty("broadcast.nar"));
  }

  /** Asks for the broker without the NAR that classes share. */
  @Target(ElementType.PARAMETER)
  @Retention(RetentionPolicy.RUNTIME)
  @interface WithoutPlugin {}

  @Override
  public void beforeAll(ExtensionContext context) {
    broker(context);
  }

  /** Starts the broker. */
  Broker start() {
    PulsarProcessBuilder options = newBroker();
    CLASS_ARCHIVE.record(options);
    return Broker.startWithTransactions(options);
  }

  private Broker broker(ExtensionContext context) {
    return broker(context, getClass(), this::start);
  }

  /** The broker of all classes, with clients of this class. */
  private static Broker broker(ExtensionContext context, Class<?> kind, Supplier<Broker> starter) {
    Broker shared =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(kind, key -> starter.get(), Broker.class);
    // A store also answers with what those above it have, hence the other key.
    return ofClass(context)
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(
            "own clients of " + kind.getName(), key -> shared.withOwnClients(), Broker.class);
  }

  private static ExtensionContext ofClass(ExtensionContext context) {
    ExtensionContext found = context;
    while (found.getTestMethod().isPresent()) {
      found = found.getParent().orElseThrow();
    }
    return found;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Broker.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.isAnnotated(WithoutPlugin.class)
        ? broker(context, WithoutPlugin.class, () -> Broker.start(plainBroker()))
        : broker(context);
  }

  /**
   * A running broker, with a client and an admin client of the stock kind. Any thread may call it.
   */
  public static final class Broker
      implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    private final PulsarProcess process;
    private final boolean ownsProcess;
    private final boolean transactions;
    private final PulsarClient client;
    private final PulsarAdmin admin;

    private Broker(PulsarProcess process, boolean ownsProcess, boolean transactions)
        throws PulsarClientException {
      this.process = process;
      this.ownsProcess = ownsProcess;
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
          return new Broker(process.start(), true, transactions);
        } catch (Exception e) {
          process.close();
          throw e;
        }
      } catch (Exception e) {
        throw new IllegalStateException("The broker did not start", e);
      }
    }

    /**
     * The same broker for one more class. A stock consumer that is closed while it connects closes
     * its connection, and with it everybody's on that client.
     */
    private Broker withOwnClients() {
      try {
        return new Broker(process, false, transactions);
      } catch (PulsarClientException e) {
        throw new IllegalStateException(e);
      }
    }

    public PulsarProcess process() {
      return process;
    }

    PulsarClient client() {
      return client;
    }

    /**
     * A client with connections of its own. They stay when it has no consumer: a {@link
     * RawConnection} has some that the client does not know.
     */
    PulsarClient newClient() throws PulsarClientException {
      return SharedTimer.build(
          PulsarClient.builder()
              .serviceUrl(process.serviceUrl())
              .enableTransaction(transactions)
              .connectionMaxIdleSeconds(-1)
              .operationTimeout(1, TimeUnit.MINUTES)
              .lookupTimeout(1, TimeUnit.MINUTES));
    }

    public PulsarAdmin admin() {
      return admin;
    }

    /** Has subscribes in a namespace no longer make subscriptions. */
    public void leaveSubscriptionsToOperators(String namespace) throws PulsarAdminException {
      admin
          .namespaces()
          .setAutoSubscriptionCreation(
              namespace,
              AutoSubscriptionCreationOverride.builder()
                  .allowAutoSubscriptionCreation(false)
                  .build());
    }

    /** The lines of the broker's log so far that contain all these texts. */
    List<String> logLines(String... texts) throws IOException {
      // To look for them here took half of the processor time of all tests.
      String first = texts.length == 0 ? "" : texts[0];
      ProcessBuilder command =
          new ProcessBuilder("grep", "-aF", "--", first, process.logFile().toString())
              .redirectError(Redirect.DISCARD);
      command.environment().put("LC_ALL", "C");
      Process grep = command.start();
      // Every byte is a character, also of a line that is being written.
      try (BufferedReader lines = grep.inputReader(StandardCharsets.ISO_8859_1)) {
        List<String> found =
            lines.lines().filter(line -> Stream.of(texts).allMatch(line::contains)).toList();
        int code = grep.onExit().join().exitValue();
        if (code > 1) {
          throw new IOException(command.command() + " ended with " + code);
        }
        return found;
      }
    }

    static String newTopic() {
      return "persistent://public/default/" + UUID.randomUUID();
    }

    /**
     * A stock Java consumer. It sends each acknowledgement at once: one that its timer is just
     * sending with others can be overtaken by the consumer's close, which comes from another
     * thread, and is lost then.
     */
    ConsumerBuilder<String> plain(String topic, String subscription) {
      return plain(client, topic, subscription);
    }

    private static ConsumerBuilder<String> plain(
        PulsarClient client, String topic, String subscription) {
      return client
          .newConsumer(Schema.STRING)
          .topic(topic)
          .subscriptionName(subscription)
          .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS);
    }

    /** The same, which sets the consumer property. */
    ConsumerBuilder<String> broadcast(String topic, String subscription, String name) {
      return broadcast(client, topic, subscription, name);
    }

    /** One whose acknowledgements have been handled when the call returns. */
    ConsumerBuilder<String> atOnce(String topic, String subscription, String name) {
      return atOnce(client, topic, subscription, name);
    }

    static ConsumerBuilder<String> atOnce(
        PulsarClient client, String topic, String subscription, String name) {
      return broadcast(client, topic, subscription, name).isAckReceiptEnabled(true);
    }

    static ConsumerBuilder<String> broadcast(
        PulsarClient client, String topic, String subscription, String name) {
      ConsumerBuilder<String> consumer =
          plain(client, topic, subscription).property("pulsar.subscription.type", "Broadcast");
      return name == null ? consumer : consumer.consumerName(name);
    }

    @Override
    public void close() throws IOException {
      // Not close(), which waits for what a failed test leaves unsent.
      client.shutdown();
      admin.close();
      if (ownsProcess) {
        try {
          reportLeaks();
          CLASS_ARCHIVE.writeFrom(process);
        } finally {
          process.close();
        }
      }
    }

    /** Netty reports a leak when the buffer has been collected and the next one is made. */
    private void reportLeaks() throws IOException {
      if (process.isAlive()) {
        new Jcmd(ProcessHandle.of(process.pid()).orElseThrow()).run("GC.run");
        try {
          Scrape.get(process, "/metrics/");
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
