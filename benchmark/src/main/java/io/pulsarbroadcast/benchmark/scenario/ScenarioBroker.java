/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;

/**
 * The unmodified broker with the plugin that a scenario drives, with its admin API and metrics. One
 * thread at a time may call it.
 */
final class ScenarioBroker implements AutoCloseable {
  private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int OK_FROM = 200;
  private static final int OK_BEFORE = 300;

  private final PulsarProcess process;
  private final HttpClient http =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  private ScenarioBroker(PulsarProcess process) {
    this.process = process;
  }

  static ScenarioBroker create(CommonOptions options, String name, Map<String, String> settings)
      throws IOException {
    PulsarProcessBuilder builder =
        options
            .broker
            .process(name, true)
            .setting("brokerDeleteInactiveTopicsEnabled", "false")
            .setting("bookkeeperClientExposeStatsToPrometheus", "true");
    settings.forEach(builder::setting);
    // What was asked for on the command line has the last word.
    options.broker.settings().forEach(builder::setting);
    return new ScenarioBroker(builder.build());
  }

  void start() throws IOException, InterruptedException {
    process.start();
  }

  /** SIGKILL, which takes the bookie and the metadata store along. */
  void kill() {
    process.kill();
  }

  /** SIGTERM. */
  void stop() {
    process.stop();
  }

  long pid() {
    return process.pid();
  }

  String serviceUrl() {
    return process.serviceUrl();
  }

  static String topic(String name) {
    return "persistent://public/default/" + name;
  }

  MetricsPage metrics() throws IOException, InterruptedException {
    return MetricsPage.parse(request("GET", "/metrics/"));
  }

  /** Returns when the broker has closed the topic. */
  void unload(String topicName) throws IOException, InterruptedException {
    request("PUT", "/admin/v2/persistent/public/default/" + topicName + "/unload");
  }

  /** Messages that the subscription keeps for its slowest consumer, counted precisely. */
  long backlog(String topicName) throws IOException, InterruptedException {
    JsonNode stats =
        JSON.readTree(
            request(
                "GET",
                "/admin/v2/persistent/public/default/"
                    + topicName
                    + "/stats?getPreciseBacklog=true"));
    return stats
        .path("subscriptions")
        .path(AbstractScenario.SUBSCRIPTION)
        .path("msgBacklog")
        .asLong();
  }

  private String request(String method, String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(process.adminUrl() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(HTTP_TIMEOUT)
            .build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    if (response.statusCode() < OK_FROM || response.statusCode() >= OK_BEFORE) {
      throw new IOException(
          "%s %s answered %d: %s".formatted(method, path, response.statusCode(), response.body()));
    }
    return response.body();
  }

  /** Saves the broker's log, which is deleted with it otherwise. */
  Path keepLog(ResultsFolder results) throws IOException {
    Path file = results.file("broker.log");
    Files.copy(process.logFile(), file, StandardCopyOption.REPLACE_EXISTING);
    return file;
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
