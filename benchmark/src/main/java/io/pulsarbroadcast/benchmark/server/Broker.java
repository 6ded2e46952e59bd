/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.pulsarbroadcast.benchmark.broker.BrokerHttp;
import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.process.PulsarProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An unmodified broker: started here, or one that runs already. One thread at a time may call it.
 * What asks for a process, an admin API or all metrics needs one that was started here.
 */
public final class Broker implements LoadServer {
  private static final BrokerHttp HTTP = new BrokerHttp();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long TICK_MILLIS = 100;
  private static final int NOT_FOUND = 404;
  private static final String PERSISTENT = "persistent://";

  private final String serviceUrl;
  private final List<String> metricsPages;
  private final PulsarProcess process;
  private final boolean own;

  private Broker(String serviceUrl, List<String> metricsPages, PulsarProcess process, boolean own) {
    this.serviceUrl = serviceUrl;
    this.metricsPages = metricsPages;
    this.process = process;
    this.own = own;
  }

  /** Takes over a broker that was set up, and starts it. Closes it when that fails. */
  public static Broker start(PulsarProcess process, RunListener listener)
      throws IOException, InterruptedException {
    Broker broker = ofProcess(process, true);
    try {
      broker.start(listener);
      return broker;
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  /** A broker that somebody else has started, and ends. */
  public static Broker of(PulsarProcess running) {
    return ofProcess(running, false);
  }

  private static Broker ofProcess(PulsarProcess process, boolean own) {
    return new Broker(
        process.serviceUrl(), List.of(process.adminUrl() + "/metrics/"), process, own);
  }

  /** {@code metricsPages}: where its brokers show their metrics; empty when they are not asked. */
  public static Broker running(String serviceUrl, List<String> metricsPages) {
    return new Broker(serviceUrl, metricsPages, null, false);
  }

  /** Starts it again after {@link #kill()} or {@link #stop()}; the listener is called meanwhile. */
  public void start(RunListener listener) throws IOException, InterruptedException {
    listener.phaseStarted("start broker", 1);
    ScheduledExecutorService ticker =
        Executors.newSingleThreadScheduledExecutor(
            new DefaultThreadFactory("start-progress", true));
    ticker.scheduleAtFixedRate(
        () -> listener.progress(0), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    try {
      process.start();
    } finally {
      ticker.shutdown();
      ticker.awaitTermination(1, TimeUnit.MINUTES);
    }
    listener.progress(1);
    listener.phaseEnded();
  }

  /** SIGKILL, which takes the bookie and the metadata store along. */
  public void kill() {
    process.kill();
  }

  /** SIGTERM. */
  public void stop() {
    process.stop();
  }

  @Override
  public String serviceUrl() {
    return serviceUrl;
  }

  @Override
  public Optional<ProcessHandle> process() {
    return process == null ? Optional.empty() : ProcessHandle.of(process.pid());
  }

  @Override
  public boolean isOwn() {
    return own;
  }

  /** What its web service answers to a GET. */
  public String get(String path) throws IOException, InterruptedException {
    return HTTP.get(process.adminUrl() + path);
  }

  /** Has it collect its garbage. */
  public void collectGarbage() throws IOException {
    new Jcmd(process().orElseThrow()).run("GC.run");
  }

  /** How many lines that contain a text it has logged. */
  public long logged(String text) throws IOException {
    // Every byte is a character, also of a line that is being written.
    try (Stream<String> lines = Files.lines(process.logFile(), StandardCharsets.ISO_8859_1)) {
      return lines.filter(line -> line.contains(text)).count();
    }
  }

  /** Everything that it shows of itself. */
  public MetricsPage metrics() throws IOException, InterruptedException {
    return MetricsPage.parse(get("/metrics/"));
  }

  @Override
  public StageTimers timers(List<String> topics) throws IOException, InterruptedException {
    StageTimers sum = StageTimers.NONE;
    for (String page : metricsPages) {
      sum = sum.plus(StageTimers.read(MetricsPage.parse(HTTP.get(page)), topics));
    }
    return sum;
  }

  /** Deletes the topic with all its subscriptions. */
  @Override
  public void forget(String topic) throws IOException, InterruptedException {
    if (own) {
      HTTP.send("DELETE", admin(topic) + "?force=true", NOT_FOUND);
    }
  }

  /** Returns when the broker has closed the topic. */
  public void unload(String topic) throws IOException, InterruptedException {
    HTTP.send("PUT", admin(topic) + "/unload");
  }

  /** Returns when the broker has closed all topics of the namespace. */
  public void unloadNamespace(String namespace) throws IOException, InterruptedException {
    HTTP.send("PUT", process.adminUrl() + "/admin/v2/namespaces/" + namespace + "/unload");
  }

  /** Messages that a subscription keeps for its slowest consumer, counted precisely. */
  public long backlog(String topic, String subscription) throws IOException, InterruptedException {
    return subscription(topic, subscription, "?getPreciseBacklog=true").path("msgBacklog").asLong();
  }

  /** Bytes of the messages that it has sent to a subscription's consumers. */
  public long bytesOut(String topic, String subscription) throws IOException, InterruptedException {
    return subscription(topic, subscription, "").path("bytesOutCounter").asLong();
  }

  private JsonNode subscription(String topic, String subscription, String query)
      throws IOException, InterruptedException {
    JsonNode stats = JSON.readTree(HTTP.get(admin(topic) + "/stats" + query));
    return stats.path("subscriptions").path(subscription);
  }

  /** The last entry that a subscription needs no more, as {@code ledger:entry}. */
  public String markDelete(String topic, String subscription)
      throws IOException, InterruptedException {
    JsonNode stats = JSON.readTree(HTTP.get(admin(topic) + "/internalStats"));
    return stats.path("cursors").path(subscription).path("markDeletePosition").asText();
  }

  private String admin(String topic) {
    if (!topic.startsWith(PERSISTENT)) {
      throw new IllegalArgumentException(topic + "; allowed: " + PERSISTENT + "...");
    }
    return process.adminUrl() + "/admin/v2/persistent/" + topic.substring(PERSISTENT.length());
  }

  /** Ends one that was started here. */
  @Override
  public void close() throws IOException {
    if (own) {
      process.close();
    }
  }
}
