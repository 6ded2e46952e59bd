/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.OptionValues;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that all commands share which run workloads. One thread may call it. */
final class RunOptions {
  private static final int SECONDS_PER_MINUTE = 60;

  @Option(
      names = "--service-url",
      paramLabel = "URL",
      description = "Use a running broker or cluster, instead of starting one for each driver.")
  String serviceUrl;

  @Option(
      names = "--metrics-url",
      paramLabel = "URL",
      split = ",",
      description =
          "With --service-url: the /metrics/ of its brokers, with commas between, for the stages of"
              + " the latency.")
  List<String> metricsUrls = List.of();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Length of the timed part (default: what the workload says).")
  @Range(from = 1, to = 604_800)
  Integer seconds;

  @Option(
      names = "--warmup-seconds",
      paramLabel = "N",
      description = "Length of the warm-up (default: what the workload says).")
  @Range(from = 0, to = 86_400)
  Integer warmupSeconds;

  @Option(
      names = "--backlog-gb",
      paramLabel = "N",
      description = "Backlog of a catch-up workload (default: what the workload says).")
  @Range(from = 0.001, to = 10_000)
  Double backlogGigabytes;

  @Option(
      names = "--round-limit-seconds",
      paramLabel = "N",
      description = "A catch-up round is given up after this time (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 86_400)
  int roundLimitSeconds = 600;

  @Option(
      names = "--label",
      paramLabel = "TEXT",
      description = "Tells variants of one driver apart in the report.")
  String label = "";

  @Option(
      names = "--no-checksums",
      description = "Do not verify the CRC32C of every message; saves CPU at 100,000 consumers.")
  boolean noChecksums;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Where to write results and the report (default: ${DEFAULT-VALUE}).")
  Path output = Path.of("workload-results");

  @Mixin BrokerOptions ownBroker = new BrokerOptions(2_048, 3_072);

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  void check() {
    if (serviceUrl != null) {
      OptionValues.checkServiceUrl(serviceUrl);
    }
    for (String url : metricsUrls) {
      if (serviceUrl == null || !url.matches("https?://[^/\\s]+/\\S*")) {
        throw new InvalidOptionException(
            "--metrics-url is "
                + url
                + "; allowed: http://host:port/metrics/, together with --service-url");
      }
    }
    if (serviceUrl == null) {
      ownBroker.checkFiles(true, ", or --service-url of a running broker");
    }
    OptionValues.checkOutput(output);
  }

  WorkloadBroker broker(DriverFile driver) throws IOException, InterruptedException {
    return serviceUrl == null
        ? WorkloadBroker.start(ownBroker, driver, output.resolve("broker-logs"))
        : WorkloadBroker.running(serviceUrl, metricsUrls.stream().map(URI::create).toList());
  }

  WorkloadPlan plan(WorkloadFile workload, DriverFile driver, int consumers) {
    return new WorkloadPlan(
        workload,
        driver,
        consumers,
        workload.messagesPerSecond(),
        seconds == null ? workload.testMinutes() * SECONDS_PER_MINUTE : seconds,
        warmupSeconds == null ? workload.warmupMinutes() * SECONDS_PER_MINUTE : warmupSeconds,
        !noChecksums);
  }

  double backlogGigabytes(WorkloadFile workload) {
    return backlogGigabytes == null ? workload.catchUp().backlogGigabytes() : backlogGigabytes;
  }
}
