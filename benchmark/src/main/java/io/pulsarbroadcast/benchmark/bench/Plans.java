/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static picocli.CommandLine.Help.Visibility.NEVER;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.config.AckKind;
import io.pulsarbroadcast.benchmark.config.ConfigException;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.SubscriptionKind;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Makes plans of a workload and a driver file; what the command line says goes over both: a mixin,
 * as picocli fills it in. One thread may call it.
 */
final class Plans {
  private static final int MAX_MESSAGES = Integer.MAX_VALUE / 2;
  private static final int SECONDS_PER_MINUTE = 60;

  /** As many as OpenMessaging Benchmark has. */
  private static final int KEYS_OF_FILE = 10_000;

  @Option(names = "--seconds", paramLabel = "N", description = "Length of the timed part.")
  @Range(from = 1, to = 604_800)
  Integer seconds;

  @Option(names = "--warmup-seconds", paramLabel = "N", description = "Length of the warm-up.")
  @Range(from = 0, to = 86_400)
  Integer warmupSeconds;

  @Option(names = "--backlog-gb", paramLabel = "N", description = "Backlog of a catch-up workload.")
  @Range(from = 0.001, to = 10_000)
  Double backlogGigabytes;

  @Option(
      names = "--label",
      paramLabel = "TEXT",
      showDefaultValue = NEVER,
      description = "Tells variants of one driver apart in the report.")
  String label = "";

  @Mixin final RunLoadOptions load;

  /** What is null or empty is taken from the files. */
  Plans(RunLoadOptions load) {
    this.load = load;
  }

  /** When the command line, or a command's defaults, say all of the load. */
  static Plan of(RunLoadOptions load, DriverFile driver) {
    return new Plans(load).at(null, driver, load.consumers, load.rate, load.line());
  }

  /** One for each of the rates. */
  List<Plan> of(WorkloadFile workload, DriverFile driver, int consumers) {
    String name =
        consumers == workload.subscriptionsPerTopic
            ? workload.name
            : String.format(Locale.ROOT, "%s; run with %,d", workload.name, consumers);
    List<Plan> plans = new ArrayList<>();
    if (load.rate != null) {
      plans.add(at(workload, driver, consumers, load.rate, name));
    } else {
      for (int rate : workload.rateSteps()) {
        plans.add(at(workload, driver, consumers, rate, name));
      }
    }
    return plans;
  }

  private Plan at(
      WorkloadFile workload, DriverFile driver, int consumers, double rate, String name) {
    int partitions = workload == null ? 1 : workload.partitionsPerTopic;
    int connections = load.connections == null ? driver.client.connections : load.connections;
    double ofPartition = rate / partitions;
    int warmup = warmup(workload, ofPartition);
    int messages = messages(workload, ofPartition, warmup, name);
    WorkloadFile.CatchUp catchUp = workload == null ? null : workload.catchUp;
    return new Plan(
        name,
        driver.name + (label.isEmpty() ? "" : ", " + label),
        driver.localServer,
        driver.brokerSettings,
        driver.consumer.subscriptionType.name(),
        partitions,
        consumers,
        Math.max(1, Math.min(connections, consumers) / partitions),
        messages,
        warmup,
        load.sizeBytes == null ? workload.messageSize : load.sizeBytes,
        rate,
        Duration.ofSeconds(
            load.connectTimeoutSeconds == null
                ? driver.consumer.creationTimeoutSeconds
                : load.connectTimeoutSeconds),
        workload != null && workload.isStepped() && load.rate == null,
        catchUp == null || backlogGigabytes == null
            ? catchUp
            : catchUp.withBacklog(backlogGigabytes),
        () -> consumer(driver, connections, workload != null && workload.hasKeys()));
  }

  private int warmup(WorkloadFile workload, double messagesPerSecond) {
    if (load.warmup != null) {
      return load.warmup;
    }
    int length =
        warmupSeconds == null ? workload.warmupDurationMinutes * SECONDS_PER_MINUTE : warmupSeconds;
    return (int) Math.ceil(messagesPerSecond * length);
  }

  private int messages(WorkloadFile workload, double messagesPerSecond, int warmup, String name) {
    if (load.messages != null) {
      load.checkWarmup(warmup);
      return load.messages;
    }
    int length = seconds == null ? workload.testDurationMinutes * SECONDS_PER_MINUTE : seconds;
    double messages = warmup + Math.max(1, Math.rint(messagesPerSecond * length));
    if (messages > MAX_MESSAGES) {
      throw new ConfigException(
          "%s: %,.0f messages are more than a local run can count; allowed: %,d (--seconds)"
              .formatted(name, messages, MAX_MESSAGES));
    }
    return (int) messages;
  }

  private LoadConfig consumer(DriverFile driver, int connections, boolean keys) {
    DriverFile.ConsumerSettings settings = driver.consumer;
    LoadConfig config =
        load.applyTo(
                LoadConfig.builder()
                    .keys(keys ? KEYS_OF_FILE : 0)
                    .subscribeWindow(Math.max(1, settings.creationConcurrency / connections))
                    .receiverQueueSize(settings.receiverQueueSize))
            .ackPolicy(ackPolicy(settings))
            .durable(settings.durable);
    if (settings.subscriptionType == SubscriptionKind.Broadcast) {
      return load.subscriptions == 1
          ? config.broadcast(settings.broadcastSubscription)
          : config.broadcast(settings.broadcastSubscription, load.subscriptions);
    }
    return config
        .subType(SubType.valueOf(settings.subscriptionType.name()))
        .subscriptionPerConsumer("consumer");
  }

  /** Who does not acknowledge does not with {@code --ack} either. */
  private AckPolicy ackPolicy(DriverFile.ConsumerSettings settings) {
    AckPolicy ofFile = ofFile(settings);
    if (settings.ack == AckKind.none) {
      return ofFile;
    }
    AckPolicy policy = load.ackPolicy(ofFile);
    boolean cumulative =
        policy.kind() == AckPolicy.Kind.CUMULATIVE
            || policy.kind() == AckPolicy.Kind.CUMULATIVE_TIMED;
    return cumulative && !settings.subscriptionType.allowsCumulative()
        ? AckPolicy.INDIVIDUAL
        : policy;
  }

  private static AckPolicy ofFile(DriverFile.ConsumerSettings settings) {
    switch (settings.ack) {
      case cumulative:
        return settings.ackGroupMillis > 0
            ? AckPolicy.timed(settings.ackGroupMillis)
            : AckPolicy.CUMULATIVE;
      case individual:
        return AckPolicy.INDIVIDUAL;
      default:
        return AckPolicy.NONE;
    }
  }

  /** Keys that say something to OpenMessaging Benchmark's driver, but not to a local run. */
  static List<String> ignored(WorkloadFile workload, DriverFile driver) {
    List<String> keys = new ArrayList<>();
    if (driver.producer.batchingEnabled) {
      keys.add("producer.batchingEnabled (messages are published singly)");
    }
    if (driver.producer.lazyPartitions || driver.producer.partitionsPerProducer > 0) {
      keys.add(
          "producer.lazyPartitions and partitionsPerProducer (a publisher for each partition)");
    }
    if (driver.consumer.ackGroupMillis > 0 && driver.consumer.ack != AckKind.cumulative) {
      keys.add("consumer.ackGroupMillis (every message is acknowledged at once)");
    }
    if (workload.producersPerTopic > 1) {
      keys.add("producersPerTopic (a publisher for each partition)");
    }
    return keys;
  }
}
