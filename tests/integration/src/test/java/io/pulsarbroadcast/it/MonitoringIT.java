/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.pulsar.client.api.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The documented metrics, the alerts and the dashboard, against a broker and Prometheus. */
@ExtendWith(ScrapedBroker.class)
class MonitoringIT {

  private static final Path REPOSITORY = Path.of("..", "..");
  private static final Path MONITORING = REPOSITORY.resolve("deploy/monitoring");
  private static final Path ALERTS = MONITORING.resolve("alerts.yml");
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final Pattern METRIC = Pattern.compile("\\bpulsar_broadcast_\\w+");
  private static final Pattern DOCUMENTED =
      Pattern.compile("^\\| `(pulsar_broadcast_\\w+)` \\| (\\w+)", Pattern.MULTILINE);

  @Test
  void shouldHaveExactlyTheDocumentedMetricsWithTheirTypes(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> consumer = broker.broadcast(topic, "alerts", "car-1").subscribe();

    Set<String> exposed =
        Scrape.get(broker.process(), "/metrics/")
            .lines()
            .filter(line -> line.startsWith("# TYPE pulsar_broadcast_"))
            .map(line -> line.substring("# TYPE ".length()))
            // The largest value that a timer has seen comes as a gauge beside it.
            .filter(type -> !type.endsWith("_max gauge"))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(documented()).isEqualTo(exposed);
    consumer.close();
  }

  private static Set<String> documented() throws Exception {
    return DOCUMENTED
        .matcher(Files.readString(REPOSITORY.resolve("docs/metrics.md")))
        .results()
        .map(row -> row.group(1) + " " + row.group(2).replace("timer", "histogram"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void shouldAskForMetricsThatExist(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> consumer = broker.broadcast(topic, "alerts", "car-1").subscribe();

    Set<String> exposed = Scrape.of(broker.process()).names();

    for (String file : List.of("alerts.yml", "alerts-test.yml", "dashboard.json")) {
      assertThat(METRIC.matcher(Files.readString(MONITORING.resolve(file))).results())
          .as(file)
          .isNotEmpty()
          .extracting(MatchResult::group)
          .allMatch(exposed::contains);
    }
    consumer.close();
  }

  @Test
  void shouldAnswerEveryQueryAndTakeEveryAlertInPrometheus(Broker broker, @TempDir Path folder)
      throws Exception {
    assumePrometheus();
    String topic = Broker.newTopic();
    Consumer<String> consumer = broker.broadcast(topic, "alerts", "car-1").subscribe();
    try (Prometheus prometheus = new Prometheus(broker, folder, ALERTS)) {
      await()
          .atMost(TIMEOUT)
          .pollInterval(Duration.ofSeconds(1))
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                Messages.publish(broker, topic, 0, 5);
                assertThat(Messages.receiveAndAck(consumer, 5)).hasSize(5);
                for (String query : dashboardQueries()) {
                  assertThat(prometheus.get("query", "query", query).get("data").get("result"))
                      .as(query)
                      .isNotEmpty();
                }
              });
      JsonNode rules = prometheus.get("rules").get("data").get("groups").get(0).get("rules");
      assertThat(rules.findValuesAsText("health")).hasSizeGreaterThan(10).containsOnly("ok");
      assertThat(rules.findValuesAsText("lastError")).isEmpty();
    }
    consumer.close();
  }

  /** With thresholds and times that a test can wait for. */
  @Test
  void shouldAlertOfAnAbsentConsumer(Broker broker, @TempDir Path folder) throws Exception {
    assumePrometheus();
    String topic = Broker.newTopic();
    broker.broadcast(topic, "alerts", "away").subscribe().close();
    Messages.publish(broker, topic, 0, 20);
    Path alerts = folder.resolve("alerts.yml");
    Files.writeString(
        alerts,
        Files.readString(ALERTS)
            .replace("> 10000", "> 10")
            .replace("2 * 86400", "3")
            .replaceAll("for: \\w+", "for: 0s"));

    try (Prometheus prometheus = new Prometheus(broker, folder, alerts)) {
      await()
          .atMost(TIMEOUT)
          .pollInterval(Duration.ofSeconds(1))
          .ignoreExceptions()
          .untilAsserted(
              () ->
                  assertThat(firing(prometheus, topic))
                      .contains(
                          "BroadcastAbsentConsumerHoldsBacklog", "BroadcastConsumerAbsentForLong")
                      .doesNotContain("BroadcastPositionsExpiring"));

      try (Consumer<String> back = broker.broadcast(topic, "alerts", "away").subscribe()) {
        assertThat(Messages.receiveAndAck(back, 20)).hasSize(20);
        await()
            .atMost(TIMEOUT)
            .pollInterval(Duration.ofSeconds(1))
            .untilAsserted(
                () ->
                    assertThat(firing(prometheus, topic))
                        .noneMatch(alert -> alert.contains("Absent")));
      }
    }
  }

  private static List<String> firing(Prometheus prometheus, String topic) throws Exception {
    List<String> firing = new ArrayList<>();
    for (JsonNode alert : prometheus.get("alerts").get("data").get("alerts")) {
      if (alert.get("labels").path("topic").asText().equals(topic)
          && alert.get("state").asText().equals("firing")) {
        firing.add(alert.get("labels").get("alertname").asText());
      }
    }
    return firing;
  }

  private static void assumePrometheus() {
    assumeTrue(
        onPath("prometheus"),
        "There is no prometheus on the PATH (Debian: apt install prometheus)");
  }

  private static List<String> dashboardQueries() throws Exception {
    JsonNode dashboard = new ObjectMapper().readTree(MONITORING.resolve("dashboard.json").toFile());
    List<String> queries = new ArrayList<>();
    for (String expression : dashboard.get("panels").findValuesAsText("expr")) {
      queries.add(
          expression
              .replace("$__rate_interval", "30s")
              .replaceAll("\\$(cluster|namespace|topic|subscription)", ".*"));
    }
    assertThat(queries).hasSizeGreaterThan(30).noneMatch(query -> query.contains("$"));
    return queries;
  }

  private static boolean onPath(String program) {
    return Pattern.compile(":")
        .splitAsStream(System.getenv("PATH"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** A Prometheus that scrapes the broker, which may take seconds, and has alerts. */
  private static final class Prometheus implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("address=\\S*?127\\.0\\.0\\.1:(\\d+)");

    private final Process process;
    private final Path log;

    Prometheus(Broker broker, Path folder, Path alerts) throws Exception {
      Path config = folder.resolve("prometheus.yml");
      Files.writeString(
          config,
          """
          global: {scrape_interval: 10s, scrape_timeout: 10s, evaluation_interval: 3s}
          rule_files: ["%s"]
          scrape_configs:
            - job_name: pulsar-broker
              metrics_path: /metrics/
              static_configs: [{targets: ["%s"]}]
          """
              .formatted(
                  alerts.toAbsolutePath().normalize(),
                  URI.create(broker.process().adminUrl()).getAuthority()));
      log = folder.resolve("prometheus.log");
      process =
          new ProcessBuilder(
                  "prometheus",
                  "--config.file=" + config,
                  "--storage.tsdb.path=" + folder.resolve("data"),
                  "--web.listen-address=127.0.0.1:0")
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    }

    /** What the HTTP API answers; {@code parameters} are names and values in turn. */
    JsonNode get(String path, String... parameters) throws Exception {
      String query =
          parameters.length == 0
              ? ""
              : "?"
                  + parameters[0]
                  + "="
                  + URLEncoder.encode(parameters[1], StandardCharsets.UTF_8);
      URI uri = URI.create("http://127.0.0.1:" + port() + "/api/v1/" + path + query);
      HttpResponse<String> response =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
      return new ObjectMapper().readTree(response.body());
    }

    private String port() throws Exception {
      return ADDRESS
          .matcher(Files.readString(log))
          .results()
          .map(found -> found.group(1))
          .reduce((first, last) -> last)
          .orElseThrow();
    }

    @Override
    public void close() throws InterruptedException {
      process.destroy();
      process.waitFor();
    }
  }
}
