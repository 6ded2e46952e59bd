/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishListener;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.scenario.ConsumerLog;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.impl.MessageIdImpl;

/**
 * Consumers of a Broadcast subscription that do nothing wrong, and their publisher: what others do
 * beside them is to cost them nothing. One thread may call it; {@link #ids()} any.
 */
final class Bystanders implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int MESSAGE_BYTES = 1_024;
  private static final int CONNECTIONS = 4;

  /** How many ids of messages are kept: the first of them, and the last of them. */
  private static final int KEPT_IDS = 100;

  final String name;
  final String topic;
  private final int consumers;
  private final double rate;
  private final ConsumerLog log;
  private final Load load;
  private final List<MessageId> ids = new ArrayList<>();
  private PublishResult published;

  /** {@code messages}: as many as there will be at most. */
  Bystanders(Broker broker, String name, int consumers, double rate, int messages) {
    this.name = name;
    this.topic = Broker.newTopic();
    this.consumers = consumers;
    this.rate = rate;
    this.log = new ConsumerLog(consumers, true);
    LoadConfig config =
        LoadConfig.builder()
            .serviceUrl(broker.process().serviceUrl())
            .topic(topic)
            .broadcast("all")
            .consumers(consumers)
            .connections(CONNECTIONS)
            .messages(messages)
            .deliveryListener(log);
    this.load = new Load(name, config.build(), MESSAGE_BYTES, RunListener.SILENT);
  }

  void start() throws Exception {
    load.connect(TIMEOUT);
    load.publisher().listener(new Stored());
    load.startPublishing(rate);
  }

  private final class Stored implements PublishListener {
    @Override
    public void answered(
        long intendedNanos, long sentNanos, long answeredNanos, boolean acknowledged) {}

    @Override
    public void stored(int sequence, long ledgerId, long entryId) {
      synchronized (ids) {
        if (ids.size() == 2 * KEPT_IDS) {
          ids.remove(KEPT_IDS);
        }
        ids.add(new MessageIdImpl(ledgerId, entryId, -1));
      }
    }
  }

  /** Of some of the first and of the last messages. */
  List<MessageId> ids() {
    synchronized (ids) {
      return List.copyOf(ids);
    }
  }

  /** Waits until what was published so far has arrived, and returns the latencies up to now. */
  Histogram latencies() throws Exception {
    load.awaitAll(load.publisher().acknowledgedSoFar());
    return load.endToEndMicros();
  }

  /** Those since then, likewise. */
  Histogram latenciesSince(Histogram before) throws Exception {
    latencies();
    return load.endToEndMicrosSince(before);
  }

  /** Ends publishing, and waits until everything has arrived. */
  void finish() throws Exception {
    published = load.stopPublishing(TIMEOUT);
    load.awaitAll(published.acknowledgedCount());
  }

  /** After {@link #finish()}: that each consumer has each message, once and in order. */
  List<Check> checks() {
    List<Check> checks = new ArrayList<>(log.checks(name, published.acknowledged()));
    checks.add(
        Check.counted(
            name + ": nothing came twice", log.duplicates() == 0, "%,d", log.duplicates()));
    checks.add(
        Check.counted(
            name + ": all that was sent is stored",
            published.firstError() == null,
            "%s",
            published.firstError()));
    return checks;
  }

  /** A row of "who", "consumers", "messages", "missing", "duplicates" and "out of order". */
  void addTo(ResultTable table) {
    table.row(
        name,
        consumers,
        published.acknowledgedCount(),
        log.missing(published.acknowledged()),
        log.duplicates(),
        log.outOfOrder());
  }

  /** A row for each consumer. */
  void addEachTo(ResultTable table) {
    log.addTo(table, name, published.acknowledged());
  }

  @Override
  public void close() {
    load.close();
  }
}
