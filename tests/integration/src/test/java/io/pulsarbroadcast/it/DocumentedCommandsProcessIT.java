/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.DocumentedCommands.Command;
import io.pulsarbroadcast.it.DocumentedCommands.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of the pages for operators, letter by letter, in the Pulsar home of a broker that is
 * installed, operated and uninstalled with them.
 */
@EnabledOnOs(OS.LINUX)
@Order(1)
@Tag("complete")
class DocumentedCommandsProcessIT {
  private static final String AREA_7 = "persistent://city/traffic/area-7";
  private static final String SHORT_AREA_7 = "persistent://public/default/area-7";

  /** What the pages leave to the reader. Ours is no {@code bin/pulsar broker}. */
  private static final Map<String, String> FILLED_IN =
      Map.of(
          "conf/broker.conf", "conf/standalone.conf",
          "TOPIC", AREA_7,
          "SUBSCRIPTION", "alerts",
          "NAME", "car-17");

  /** Answers whatever asks. */
  private static final String ANSWER = "y\n";

  @TempDir private Path work;
  private final List<Command> run = new ArrayList<>();
  private List<Command> documented;
  private Broker broker;

  /** Assignments of the page, for the commands that follow. */
  private String variables = "";

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void shouldDoWhatTheirPagesSay() throws Exception {
    try (Broker started = Broker.start(BrokerExtension.completeHome())) {
      broker = started;
      documented = DocumentedCommands.ofAllPages();
      prepareFolders();
      install();
      check();
      useSettings();
      operate();
      operateWithTheTool();
      upgrade();
      addAndRemoveShadowTopic();
      uninstall();
    }
    assertThat(run).containsExactlyInAnyOrderElementsOf(ours());
  }

  private static List<Command> ours() throws IOException {
    return DocumentedCommands.table().stream()
        .filter(row -> row.runBy().equals(DocumentedCommandsProcessIT.class.getSimpleName()))
        .map(Row::command)
        .toList();
  }

  /** What the commands find where they are run. */
  private void prepareFolders() throws IOException {
    for (String module : List.of("broker-plugin", "admin-cli")) {
      Files.createSymbolicLink(work.resolve(module), DocumentedCommands.ROOT.resolve(module));
    }
    Files.copy(BrokerExtension.nar(), work.resolve("pulsar-broadcast-broker-0.1.0.nar"));
    Files.copy(
        DocumentedCommands.ROOT.resolve("deploy/monitoring/alerts.yml"),
        work.resolve("alerts.yml"));
    Path client = home().resolve("conf/client.conf");
    Files.writeString(
        client,
        Files.readString(client)
            .replaceAll("(?m)^webServiceUrl=.*", "webServiceUrl=" + broker.process().adminUrl())
            .replaceAll(
                "(?m)^brokerServiceUrl=.*", "brokerServiceUrl=" + broker.process().serviceUrl()));
  }

  private void install() throws Exception {
    execute("docs/install.md", "install -D");
    execute("docs/install.md", "sed -i '/^brokerInterceptors=/{/pulsar-broadcast/!");
    assertThat(execute("docs/install.md", "grep '^brokerInterceptors="))
        .contains("pulsar-broadcast");
    restart();
  }

  private void check() throws Exception {
    assertThat(broker.logLines("Broadcast subscriptions are available on broker")).isNotEmpty();
    execute("docs/install.md", "bin/pulsar-admin topics create-subscription");
    try (Producer<byte[]> producer =
        broker.client().newProducer().topic("persistent://public/default/my-topic").create()) {
      producer.send("for everybody".getBytes(StandardCharsets.UTF_8));
      assertThat(execute("docs/install.md", "bin/pulsar-client consume")).contains("for everybody");
    }
    assertThat(execute("docs/install.md", "bin/pulsar-admin topics stats"))
        .contains("\"type\" : \"Broadcast\"");
  }

  private void useSettings() throws Exception {
    broker
        .admin()
        .tenants()
        .createTenant("city", TenantInfo.builder().allowedClusters(Set.of("standalone")).build());
    broker.admin().namespaces().createNamespace("city/traffic");
    broker.admin().topics().createNonPartitionedTopic(AREA_7);
    execute("docs/contract.md", "bin/pulsar-admin topics create-subscription");
    assertThat(broker.admin().topics().getSubscriptions(AREA_7)).containsExactly("alerts");
    execute("docs/configure.md", "bin/pulsar-admin namespaces set-property");
    execute("docs/configure.md", "bin/pulsar-admin topics update-properties");
    String key = "pulsar.broadcast.cursor.ttl.seconds";
    assertThat(broker.admin().namespaces().getProperties("city/traffic"))
        .containsEntry(key, "3600");
    assertThat(broker.admin().topics().getProperties(AREA_7)).containsEntry(key, "86400");
    execute("docs/measure.md", "pulsar-admin namespaces set-backlog-quota");
    assertThat(broker.admin().namespaces().getBacklogQuotaMap("public/default")).isNotEmpty();
    execute("docs/metrics.md", "sed -i 's|runbook_url");
    assertThat(work.resolve("alerts.yml"))
        .content()
        .contains("runbook_url: https://wiki.example.com/pulsar-broadcast/docs/operate.md");
  }

  private void operate() throws Exception {
    park(AREA_7, "car-17");
    execute("docs/operate.md", "POSITIONS=");
    assertThat(execute("docs/operate.md", "curl \"$POSITIONS?state=absent")).contains("\"car-17\"");
    assertThat(
            execute(
                "docs/operate.md",
                "curl -H 'Content-Type: application/json' -d '{\"name\": \"car-17\", \"dryRun\""))
        .contains("\"positions\":1");
    assertThat(
            execute(
                "docs/operate.md", "curl -H 'Content-Type: application/json' -d '{\"absentLonger"))
        .as("not absent for three days")
        .contains("\"positions\":0");
    assertThat(
            execute(
                "docs/operate.md",
                "curl -H 'Content-Type: application/json' -d '{\"name\": \"car-17\", \"to\""))
        .contains("\"positions\":1");
    execute(
        "docs/operate.md",
        "bin/pulsar-admin brokers update-dynamic-config --config loadBalancerAutoUnloadSplitBundlesEnabled");
    execute(
        "docs/operate.md",
        "bin/pulsar-admin brokers update-dynamic-config --config loadBalancerSheddingEnabled");
    assertThat(broker.admin().brokers().getAllDynamicConfigurations())
        .containsEntry("loadBalancerAutoUnloadSplitBundlesEnabled", "false")
        .containsEntry("loadBalancerSheddingEnabled", "false");
  }

  private void operateWithTheTool() throws Exception {
    execute("docs/operate.md", "install -D");
    Path client = home().resolve("conf/client.conf");
    Files.writeString(
        client,
        Files.readString(client)
            + "\n"
            + take("docs/operate.md", "cliExtensionsDirectory").text()
            + "\n"
            + take("docs/operate.md", "customCommandFactories").text()
            + "\n");
    park(AREA_7, "car-17");
    assertThat(execute("docs/operate.md", "bin/pulsar-admin broadcast positions TOPIC"))
        .contains("car-17");
    assertThat(backlog(AREA_7)).isPositive();
    execute("docs/operate.md", "bin/pulsar-admin broadcast move TOPIC");
    assertThat(backlog(AREA_7)).isZero();
    assertThat(namesOf(AREA_7)).containsExactly("car-17");
    execute("docs/operate.md", "bin/pulsar-admin broadcast drop TOPIC");
    assertThat(namesOf(AREA_7)).isEmpty();
    park(SHORT_AREA_7, "car-4711");
    assertThat(execute("docs/operate.md", "bin/pulsar-admin broadcast subscriptions"))
        .contains(AREA_7, "alerts");
    assertThat(execute("docs/operate.md", "bin/pulsar-admin broadcast positions area-7"))
        .contains("car-4711");
    assertThat(execute("docs/operate.md", "bin/pulsar-admin broadcast position area-7"))
        .contains("car-4711");
    execute("docs/operate.md", "bin/pulsar-admin broadcast move area-7");
    assertThat(backlog(SHORT_AREA_7)).as("all three are of the last two hours").isEqualTo(3);
    execute("docs/operate.md", "bin/pulsar-admin broadcast drop area-7");
    assertThat(namesOf(SHORT_AREA_7)).as("not absent for a week").containsExactly("car-4711");
    execute("docs/operate.md", "bin/pulsar-admin broadcast convert area-7");
    assertPlain(SHORT_AREA_7);
    assertThat(execute("docs/operate.md", "bin/pulsar-admin broadcast settings"))
        .contains("broadcastMaxPositionsPerSubscription");
  }

  private void upgrade() throws Exception {
    execute("docs/upgrade.md", "rm ");
    execute("docs/upgrade.md", "install -D");
    restart();
    assertThat(broker.logLines("Broadcast subscriptions are available on broker")).hasSize(2);
    execute("docs/upgrade.md", "bin/pulsar-admin brokers healthcheck");
  }

  /** Nothing is published to its source: {@link ShadowTopicProcessIT} says why. */
  private void addAndRemoveShadowTopic() throws Exception {
    execute("docs/contract.md", "bin/pulsar-admin topics update-properties");
    execute("docs/operate.md", "bin/pulsar-admin topics create-shadow-topic");
    execute("docs/operate.md", "bin/pulsar-admin topicPolicies set-retention");
    execute("docs/operate.md", "bin/pulsar-admin topics set-shadow-topics");
    // The policy is there when the broker has read it back.
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(broker.admin().topics().getShadowTopics(AREA_7))
                    .containsExactly(AREA_7 + "-b"));
    assertThat(broker.admin().topics().getShadowSource(AREA_7 + "-b")).isEqualTo(AREA_7);
    execute("docs/operate.md", "bin/pulsar-admin topics remove-shadow-topics");
    execute("docs/operate.md", "bin/pulsar-admin topics unload");
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(broker.admin().topics().getStats(AREA_7 + "-b").getPublishers())
                    .isEmpty());
    execute("docs/operate.md", "bin/pulsar-admin topics stats persistent://city/traffic/area-7-b");
    execute("docs/operate.md", "bin/pulsar-admin topics delete persistent://city/traffic/area-7-b");
    assertThat(broker.admin().topics().getList("city/traffic")).doesNotContain(AREA_7 + "-b");
  }

  private void uninstall() throws Exception {
    execute("docs/install.md", "sed -i '/^brokerInterceptors=/{s/");
    execute("docs/install.md", "rm ");
    restart();
    assertThat(broker.logLines("Broadcast subscriptions are available on broker")).hasSize(2);
    assertPlain(AREA_7);
  }

  private long backlog(String topic) throws Exception {
    return Subscriptions.stats(broker, topic, "alerts").getMsgBacklog();
  }

  private List<String> namesOf(String topic) throws Exception {
    return new PositionsRequests(broker.process().adminUrl(), topic, "alerts").list().names();
  }

  private void assertPlain(String topic) throws Exception {
    try (Consumer<byte[]> plain =
        broker.client().newConsumer().topic(topic).subscriptionName("alerts").subscribe()) {
      assertThat(plain.isConnected()).isTrue();
      assertThat(Subscriptions.stats(broker, topic, "alerts").getType()).isEqualTo("Exclusive");
    }
  }

  private void restart() throws Exception {
    broker.process().stop();
    broker.process().start();
  }

  /** Leaves a backlog of two messages to a consumer that has gone. */
  private void park(String topic, String name) throws Exception {
    try (Consumer<String> car = broker.atOnce(topic, "alerts", name).subscribe()) {
      publish(broker, topic, 0, 3);
      receiveAndAck(car, 1);
    }
  }

  private Path home() {
    return broker.process().instanceFolder();
  }

  /** The page's only command that begins like this. */
  private Command take(String page, String beginning) {
    List<Command> found =
        documented.stream()
            .filter(each -> each.page().equals(page) && each.text().startsWith(beginning))
            .distinct()
            .toList();
    assertThat(found).as("%s: %s...", page, beginning).hasSize(1);
    run.add(found.get(0));
    return found.get(0);
  }

  /** Runs it, and returns what it printed. What begins with bin/ is run in the Pulsar home. */
  private String execute(String page, String beginning) throws IOException, InterruptedException {
    String command = take(page, beginning).text();
    for (Map.Entry<String, String> each : FILLED_IN.entrySet()) {
      command = command.replace(each.getKey(), each.getValue());
    }
    command = command.replace("http://localhost:8080", broker.process().adminUrl());
    if (command.matches("[A-Z]+=\\S+")) {
      variables += command + "\n";
    }
    Map<String, String> environment = new HashMap<>(AdminTool.lightJvm(home(), work));
    environment.put("PULSAR_HOME", home().toString());
    boolean inHome = command.startsWith("bin/") || command.startsWith("pulsar-admin");
    Bash.Result result =
        Bash.run(
            String.join(
                "\n",
                "set -euo pipefail",
                "PATH=$PULSAR_HOME/bin:$PATH",
                "curl() { command curl -sS --fail \"$@\"; }",
                variables + command),
            inHome ? home() : work,
            ANSWER,
            environment,
            work);
    String printed = result.out() + result.err();
    assertThat(result.exitCode())
        .as("exit code of %s, which printed %s", command, printed)
        .isZero();
    return printed;
  }
}
