/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Progress;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadRun;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.RunPlan;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.benchmark.server.BrokerLoadServer;
import io.pulsarbroadcast.benchmark.server.FlightRecording;
import io.pulsarbroadcast.benchmark.server.FloorLoadServer;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * One benchmark under way: starts what it needs, runs loads, and has the folder for its results.
 * The main thread may call it.
 */
final class BenchSession {
  private static final String TOPIC_PREFIX = "persistent://public/default/bench-";

  private final ServerOptions servers;
  private final ResultFolder results;
  private final PrintStream out;
  private final PrintStream err;
  private final Progress progress;
  private final Map<String, FlightRecording> recordings = new HashMap<>();
  private int topics;

  BenchSession(
      BenchCommand bench, String name, ServerOptions servers, LoadOptions load, String describe)
      throws IOException {
    this.servers = servers;
    this.out = bench.out();
    this.err = bench.err();
    this.progress = new Progress(out, bench.isTerminal());
    this.results =
        ResultFolder.create(servers.output, name, bench.commandLine(), load.asMap(), servers);
    out.println(describe);
    out.printf(
        Locale.ROOT,
        "The load generator keeps %,d bytes per consumer. Results: %s%n",
        load.broadcast("pulsar://unused", "unused").build().bytesPerConsumer(),
        results.folder());
  }

  /** A broker with the plugin. */
  BrokerLoadServer startBroker(String name) throws IOException, InterruptedException {
    return startBroker(name, true, Map.of());
  }

  /** A broker with further settings, which go over those of the command line. */
  BrokerLoadServer startBroker(String name, boolean withPlugin, Map<String, String> settings)
      throws IOException, InterruptedException {
    PulsarProcessBuilder builder =
        servers
            .broker
            .process("bench", withPlugin)
            .keepLogs(results.folder().resolve("broker-logs"));
    settings.forEach(builder::setting);
    return BrokerLoadServer.start(name, builder.build(), progress);
  }

  FloorLoadServer startFloor() throws IOException {
    return FloorLoadServer.start(servers.broker.heapMegabytes(), servers.broker.directMegabytes());
  }

  /** The name of a topic that nothing else in this benchmark uses. */
  String newTopic() {
    return TOPIC_PREFIX + results.time() + "-" + topics++;
  }

  /**
   * Shows progress, and records the server when that was asked for. A series has one server and one
   * listener.
   */
  RunListener listener(LoadServer server, String series) {
    if (!servers.jfr || !(server instanceof BrokerLoadServer)) {
      return progress;
    }
    return recordings.computeIfAbsent(
        series,
        name ->
            new FlightRecording(
                progress,
                server.process(),
                results.folder(),
                name.replaceAll("[^A-Za-z0-9]+", "-")));
  }

  /** One run, after which the server forgets the topic. */
  RunResult run(String series, LoadServer server, LoadConfig config, RunPlan plan)
      throws FleetException, InterruptedException, PulsarClientException {
    RunResult result =
        new LoadRun(series, config, plan, listener(server, series), server.process()).execute();
    forget(server, config.topic());
    return result;
  }

  /** What is left of a topic does not disturb the next run enough to end a benchmark over it. */
  void forget(LoadServer server, String topic) {
    try {
      server.forget(topic);
    } catch (IOException e) {
      err.println(e.getMessage());
    }
  }

  Progress progress() {
    return progress;
  }

  ResultFolder results() {
    return results;
  }

  PrintStream out() {
    return out;
  }

  PrintStream err() {
    return err;
  }
}
