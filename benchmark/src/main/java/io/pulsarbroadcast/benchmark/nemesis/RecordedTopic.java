/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.history.Event;
import io.pulsarbroadcast.benchmark.history.Event.Step;
import io.pulsarbroadcast.benchmark.history.HistoryVerdict;
import io.pulsarbroadcast.benchmark.history.HistoryWriter;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishListener;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.scenario.HistoryRecorder;
import io.pulsarbroadcast.benchmark.scenario.HistoryRecorder.Manner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** One topic with its publisher, its consumers and its history. One thread may call it. */
final class RecordedTopic implements AutoCloseable {
  private static final String SUBSCRIPTION = "all";

  /** What one flush may take on a small machine with seven JVMs, and an acknowledgement's way. */
  static final int MARGIN_MILLIS = 3_000;

  /** When a consumer starves, once all faults are over. */
  static final int PATIENCE_MILLIS = 10_000;

  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * The load on each topic.
   *
   * @param flushMillis after which the brokers store positions
   * @param isStock whether each consumer has a stock subscription, instead of one for all
   */
  record Options(
      String serviceUrl,
      int flushMillis,
      boolean isStock,
      int consumers,
      int connections,
      double rate,
      int sizeBytes) {}

  private final String name;
  private final Options options;
  private final Path file;
  private final HistoryWriter writer;
  private final HistoryRecorder recorder;
  private final Load load;
  private final int messages;
  private volatile long storedNanos = System.nanoTime();
  private FleetSnapshot received;
  private boolean countsSkips;

  /** Allocates; {@code messages} are the most that are published. */
  RecordedTopic(String name, Manner manner, Options options, int messages, Path file)
      throws IOException {
    this.name = name;
    this.options = options;
    this.file = file;
    this.messages = messages;
    this.writer = HistoryWriter.create(file);
    writer.write(
        (line, micros) ->
            new Event.Start(
                line, micros, options.flushMillis, MARGIN_MILLIS, PATIENCE_MILLIS, true));
    this.recorder = new HistoryRecorder(writer, options.consumers, "cluster", manner, true);
    LoadConfig config =
        LoadConfig.builder()
            .serviceUrl(options.serviceUrl)
            .topic(name)
            .consumers(options.consumers)
            .connections(options.connections)
            .ioThreads(1)
            .messages(messages)
            .deliveryListener(recorder)
            .reconnect(true);
    manner.configure(config);
    if (options.isStock) {
      config.subscriptionPerConsumer(SUBSCRIPTION);
    } else {
      config.broadcast(SUBSCRIPTION);
    }
    this.load = new Load("nemesis", config.build(), options.sizeBytes, RunListener.SILENT);
  }

  String name() {
    return name;
  }

  /** Where its history is. */
  Path file() {
    return file;
  }

  /** Subscribes its consumers, then begins to publish. */
  void start(Duration timeout) throws IOException, InterruptedException, FleetException {
    load.connect(timeout);
    load.publisher().listener(recorder).listener(new Stored());
    load.startPublishing(options.rate);
  }

  private final class Stored implements PublishListener {
    @Override
    public void answered(long intended, long sent, long answeredNanos, boolean acknowledged) {
      storedNanos = answeredNanos;
    }
  }

  boolean isPublishingStuck(long sinceNanos) {
    long nowNanos = System.nanoTime();
    return Math.min(nowNanos - storedNanos, nowNanos - sinceNanos) > STUCK_NANOS;
  }

  int closedByBroker() {
    return load.fleet().closedByBroker();
  }

  void fault(Step step, int number, String kind, boolean crash) {
    recorder.fault(step, number, kind, crash);
  }

  /** The number of the next message that is published. */
  int nextSequence() {
    return load.publisher().nextSequence();
  }

  /** Whether every consumer is subscribed, and has received this message or a later one. */
  boolean hasReached(int sequence) {
    return load.fleet().subscribed() == options.consumers && recorder.lowest() >= sequence;
  }

  /** Whether the publisher has sent all that it may. */
  boolean isPublished() {
    return nextSequence() >= messages;
  }

  /** How far it is, for people. */
  String progress() {
    return "%s: %d of %d consumers are subscribed, the one least far has message %d"
        .formatted(name, load.fleet().subscribed(), options.consumers, recorder.lowest());
  }

  /** Of the one subscription, if there is one. */
  void sampleMarkDelete(ClusterAdmin admin) throws IOException, InterruptedException {
    if (options.isStock) {
      return;
    }
    long askedMicros = recorder.micros();
    recorder.markDelete(askedMicros, admin.markDelete(name, SUBSCRIPTION));
  }

  void skipped(String broker, MetricsPage page) {
    countsSkips |= recorder.skipped(broker, page, "topic=\"" + name + "\"");
  }

  /** Whether some broker has said how many entries it skipped. */
  boolean countsSkips() {
    return countsSkips || options.isStock;
  }

  /** Ends the load, when every consumer has what is stored or nothing comes any more. */
  int stop(Duration timeout) throws IOException, InterruptedException, FleetException {
    PublishResult published = load.stopPublishing(timeout);
    load.awaitAll(published.acknowledgedCount());
    return published.acknowledgedCount();
  }

  /** What its consumers have received, when it is closed. */
  FleetSnapshot received() {
    return received;
  }

  /** What its history says, when it is closed. */
  HistoryVerdict verdict() throws IOException {
    return HistoryVerdict.of(file);
  }

  @Override
  public void close() throws IOException {
    received = load.fleet().snapshot();
    load.close();
    writer.close();
  }

  /** The same, for a thread of its own. */
  void closeUnchecked() {
    try {
      close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
