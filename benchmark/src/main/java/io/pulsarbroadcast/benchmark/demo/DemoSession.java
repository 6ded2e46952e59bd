/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.demo;

import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Progress;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import io.pulsarbroadcast.benchmark.load.LoadRun;
import io.pulsarbroadcast.benchmark.load.RunPlan;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.benchmark.report.Environment;
import io.pulsarbroadcast.benchmark.report.PlotReport;
import io.pulsarbroadcast.benchmark.report.RunReport;
import io.pulsarbroadcast.benchmark.report.SeriesReport;
import io.pulsarbroadcast.benchmark.report.TableReport;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * The steps of the demo: start the broker, run, print, write files. One thread may call it, once.
 */
public final class DemoSession {
  private static final String NAMESPACE = "persistent://public/default/";
  private static final DateTimeFormatter FILE_TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  private final DemoOptions options;
  private final PrintStream out;
  private final PrintStream err;
  private final Progress progress;
  private final ZonedDateTime startedAt =
      ZonedDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);

  DemoSession(DemoOptions options, PrintStream out, PrintStream err, Progress progress) {
    this.options = options;
    this.out = out;
    this.err = err;
    this.progress = progress;
  }

  /** Returns the exit code. */
  int run() throws IOException, InterruptedException {
    try (DemoBroker broker = DemoBroker.open(options, progress)) {
      try {
        return report(measure(broker));
      } catch (FleetException | PulsarClientException e) {
        progress.interrupt();
        err.println(e.getMessage());
        if (!broker.isOwn() && e instanceof FleetException fleet && fleet.isRefused()) {
          err.println("Has the broker at " + options.serviceUrl + " the plugin?");
        }
        Path log = options.brokerLog();
        broker.keepLog(log);
        if (broker.isOwn()) {
          err.println("Broker log: " + log);
        }
        return Program.EXIT_FAILED;
      }
    }
  }

  private List<RunResult> measure(DemoBroker broker)
      throws FleetException, InterruptedException, PulsarClientException {
    List<RunResult> results = new ArrayList<>();
    if (options.mode() == DemoOptions.Mode.BROADCAST) {
      results.add(
          measure(broker, "Broadcast", config(broker, "broadcast").broadcast("broadcast-demo")));
    }
    if (options.mode() == DemoOptions.Mode.EXCLUSIVE || options.compare) {
      results.add(
          measure(
              broker,
              "Exclusive each",
              config(broker, "exclusive").subscriptionPerConsumer("exclusive-demo")));
    }
    return results;
  }

  private RunResult measure(DemoBroker broker, String name, LoadConfigBuilder config)
      throws FleetException, InterruptedException, PulsarClientException {
    RunPlan plan = RunPlan.of(options.sizeBytes, options.rate);
    return new LoadRun(
            name,
            config.build(),
            broker.isOwn() ? plan : plan.unsubscribing(),
            progress,
            broker.processHandle())
        .execute();
  }

  private LoadConfigBuilder config(DemoBroker broker, String suffix) {
    return LoadConfig.builder()
        .serviceUrl(broker.serviceUrl())
        .topic(NAMESPACE + "demo-" + startedAt.format(FILE_TIME) + "-" + suffix)
        .consumers(options.consumers)
        .connections(options.connections)
        .messages(options.messages)
        .warmupMessages(options.warmupMessages())
        .subscribeWindow(options.subscribeWindow)
        .receiverQueueSize(options.receiverQueue)
        .ackPolicy(options.ackPolicy())
        .verifyChecksums(!options.noChecksums);
  }

  private int report(List<RunResult> results) throws IOException {
    Environment environment = Environment.current(results.get(0).brokerVersion());
    out.println();
    out.println(environment.line());
    out.println(loadLine());
    out.println();
    out.print(TableReport.of(results));
    out.println();
    writeFiles(results, environment);
    long missing = results.stream().mapToLong(r -> r.delivery().missing()).sum();
    if (missing > 0) {
      err.printf(Locale.ROOT, "%,d deliveries are missing%n", missing);
      results.stream()
          .filter(result -> result.firstError() != null)
          .forEach(r -> err.println(r.name() + ", first error: " + r.firstError()));
    }
    boolean nothingPublished = results.stream().anyMatch(r -> r.delivery().published() == 0);
    return missing > 0 || nothingPublished ? Program.EXIT_MISSING : Program.EXIT_COMPLETE;
  }

  private String loadLine() {
    String timed =
        options.warmupMessages() == 0
            ? ""
            : ", the first " + options.warmupMessages() + " not timed";
    return String.format(
        Locale.ROOT,
        "%,d consumers over %,d connections, %,d messages of %,d bytes at %s per second%s, ack %s",
        options.consumers,
        Math.min(options.connections, options.consumers),
        options.messages,
        options.sizeBytes,
        rate(),
        timed,
        options.ackPolicy());
  }

  private String rate() {
    return options.rate == Math.rint(options.rate)
        ? Long.toString((long) options.rate)
        : Double.toString(options.rate);
  }

  private void writeFiles(List<RunResult> results, Environment environment) throws IOException {
    Files.createDirectories(options.output);
    String name = "demo-" + startedAt.format(FILE_TIME);
    Path json = options.output.resolve(name + ".json");
    new RunReport(
            startedAt.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME),
            environment,
            options.asMap(),
            results.stream().map(SeriesReport::of).toList())
        .write(json);
    out.println("Results: " + json);
    try {
      String title =
          String.format(
              Locale.ROOT,
              "%,d consumers of one topic, %,d-byte messages, %s per second",
              options.consumers,
              options.sizeBytes,
              rate());
      for (Path plot : PlotReport.write(options.output, name, title, results)) {
        out.println("Plot:    " + plot);
      }
    } catch (RuntimeException | LinkageError e) {
      // A JRE without fonts cannot draw; the figures are there all the same.
      err.println("The plot was not written: " + e);
    }
  }
}
