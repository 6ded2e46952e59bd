/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The broker that a workload runs on: started here, or one that runs. One thread may call it. */
final class WorkloadBroker implements AutoCloseable {
  private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(60);
  private static final int OK = 200;

  private final String serviceUrl;
  private final List<URI> metricsPages;
  private final PulsarProcess process;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(HTTP_TIMEOUT)
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  private WorkloadBroker(String serviceUrl, List<URI> metricsPages, PulsarProcess process) {
    this.serviceUrl = serviceUrl;
    this.metricsPages = metricsPages;
    this.process = process;
  }

  /** {@code metricsPages}: where its brokers show their metrics; empty when they are not asked. */
  static WorkloadBroker running(String serviceUrl, List<URI> metricsPages) {
    return new WorkloadBroker(serviceUrl, metricsPages, null);
  }

  /** Starts one with the lines of configuration that the driver file asks for. */
  static WorkloadBroker start(BrokerOptions own, DriverFile driver, Path keepLogs)
      throws IOException, InterruptedException {
    PulsarProcessBuilder builder =
        own.process("workload", true)
            .keepLogs(keepLogs)
            // Pulsar's 10 GB would stop the writer of a catch-up workload.
            .setting("backlogQuotaDefaultLimitGB", "-1");
    driver.brokerSettings().forEach(builder::setting);
    // What was asked for on the command line has the last word.
    own.settings().forEach(builder::setting);
    PulsarProcess process = builder.build();
    try {
      process.start();
      return new WorkloadBroker(
          process.serviceUrl(), List.of(URI.create(process.adminUrl() + "/metrics/")), process);
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  String serviceUrl() {
    return serviceUrl;
  }

  /** The stage timers of topics since they were loaded; none of brokers that are not asked. */
  StageTimers timers(List<String> topics) throws IOException, InterruptedException {
    StageTimers sum = StageTimers.NONE;
    for (URI page : metricsPages) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(page).timeout(HTTP_TIMEOUT).build(), BodyHandlers.ofString());
      if (answer.statusCode() != OK) {
        throw new IOException(
            page + " was answered with " + answer.statusCode() + "; --metrics-url names the page");
      }
      sum = sum.plus(StageTimers.read(MetricsPage.parse(answer.body()), topics));
    }
    return sum;
  }

  /** True when it was started here and goes away afterwards. */
  boolean isOwn() {
    return process != null;
  }

  /** Empty when it was not started here. */
  Optional<ProcessHandle> processHandle() {
    return process == null ? Optional.empty() : ProcessHandle.of(process.pid());
  }

  @Override
  public void close() throws IOException {
    if (process != null) {
      process.close();
    }
  }
}
