/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.cli.Program;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class BenchTest {
  private static final String COMMANDS =
      "demo, fanout, run, report, expand, reconnect, heap, stats, stock-rates, listeners, hub,"
          + " producers, clients, topics, soak, churn, catch-up, kills, unloads, nemesis, positions, history, jmh, help";

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int execute(String... arguments) {
    return new Bench(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false)
        .execute(arguments);
  }

  private String error() {
    return err.toString(StandardCharsets.UTF_8).strip();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "demo --consumers 0|--consumers is 0; allowed: 1 to 1000000",
        "listeners --delays-millis 10,-1|--delays-millis is -1; allowed: 0 to 60000",
        "nemesis --minutes 0|--minutes is 0; allowed: 0.1 to 10000",
        "nemesis --seed 1|--image is not set; allowed: an image of Pulsar",
        "nemesis --image pulsar --rate 1000|--rate, --minutes and their like come to 1,270,000 messages"
            + " of each topic; allowed: up to 50,000, as many as a position stores individually, or"
            + " --acknowledge cumulative",
        "history nowhere|FILE is nowhere; allowed: a history",
        "listeners --size 19|--size is 19; allowed: 20 to 1048576",
        "listeners --threads green|--threads is green; allowed: client, platform, virtual",
        "hub --warmup 60|--warmup is 60; allowed: less than --messages, which is 60",
        "hub --connections 5 --consumers 4|--connections is 5; allowed: up to --consumers, which is 4",
        "producers --brokers 5,0|--brokers is 0; allowed: 1 to 30",
        "producers --limits 3,30|--limits has 30; allowed: less than --partitions, 30",
        "producers --limits 0|--limits is 0; allowed: 1 to 1000",
        "producers --rate 50000 --seconds 86400|--seconds is 86400; allowed: up to 42949 at --rate"
            + " 50000",
        "clients --consumers 0|--consumers is 0; allowed: 1 to 1000000",
        "topics --topics 10,0|--topics is 0; allowed: 1 to 100000",
        "clients --warmup 30|--warmup is 30; allowed: less than --messages, which is 30",
        "demo --consumers many|--consumers is many; allowed: 1 to 1000000",
        "demo --connections -1|--connections is -1; allowed: 1 to 1000000",
        "demo --messages 0|--messages is 0; allowed: 1 to 10000000",
        "demo --size 31|--size is 31; allowed: 32 to 5232640",
        "demo --rate 0|--rate is 0; allowed: 0.01 to 1000000",
        "demo --rate NaN|--rate is NaN; allowed: 0.01 to 1000000",
        "demo --rate fast|--rate is fast; allowed: 0.01 to 1000000",
        "demo --receiver-queue 0|--receiver-queue is 0; allowed: 1 to 1000000",
        "demo --messages 9 --warmup 9|--warmup is 9; allowed: less than --messages, which is 9",
        "demo --service-url http://host:80|--service-url is http://host:80; allowed:"
            + " pulsar://host:port",
        "demo --service-url pulsar://host:many|--service-url is pulsar://host:many; allowed:"
            + " pulsar://host:port",
        "demo --pulsar-home /no/such/folder|--pulsar-home is /no/such/folder; allowed: a folder"
            + " that has bin/pulsar, or --service-url",
        "demo --no-such-option|Unknown option: '--no-such-option'; see --help",
        "hub --jfr|Unknown option: '--jfr'; see --help",
        "fanout --rounds 0|--rounds is 0; allowed: 1 to 1000",
        "fanout --warmup 60|--warmup is 60; allowed: less than --messages, which is 60",
        "fanout --lookup each|--lookup is each; allowed: connection, consumer",
        "fanout --subscriptions 0|--subscriptions is 0; allowed: 1 to 1000",
        "fanout --ack twice|--ack is twice; allowed: cumulative, cumulative:<messages>,"
            + " cumulative-ms:<milliseconds>, individual, none",
        "fanout --broker-setting key|--broker-setting is key; allowed: key=value",
        "fanout --output pom.xml|--output is pom.xml; allowed: a folder",
        "heap --broker-heap-mb 1|--broker-heap-mb is 1; allowed: 256 to 1048576",
        "reconnect --settle-seconds -1|--settle-seconds is -1; allowed: 0 to 3600",
        "soak --minutes 0|--minutes is 0; allowed: 0.05 to 10000",
        "soak --never-read 0|--never-read is 0; allowed: 1 to 1000",
        "catch-up --backlog-mb 0|--backlog-mb is 0; allowed: 1 to 9000",
        "kills --kills 0|--kills is 0; allowed: 1 to 1000",
        "unloads --unloads -1|--unloads is -1; allowed: 1 to 10000",
        "positions --consumers 1|--consumers is 1; allowed: 100 to 1000000",
        "positions|--plugin-class-path is not set; allowed: a Java class path",
        "kills|--pulsar-home is null; allowed: a folder that has bin/pulsar",
        "run smoke-50|Missing required option: '--driver=FILE'; see --help",
        "run smoke-50 --driver broadcast --seconds 0|--seconds is 0; allowed: 1 to 604800",
        "run smoke-50 --driver broadcast --sizes 10,x|--sizes is x; allowed: 0 to 1000000",
        "run smoke-50 --driver broadcast --sizes 10,-1|--sizes is -1; allowed: 0 to 1000000",
        "run small-messages --driver floor --in-turn|--in-turn is given for 100,000 consumers, 100 B,"
            + " which has 9 rates; allowed: a workload of one, or --rate",
        "run smoke-50 --driver broadcast --backlog-gb 0|--backlog-gb is 0; allowed: 0.001 to 10000",
        "run smoke-50 --driver broadcast --metrics-url x:8080|--metrics-url is x:8080; allowed:"
            + " http://host:port/metrics/, together with --service-url",
        "run smoke-50 --driver none|--driver is none; allowed: a file, or one of broadcast,"
            + " broadcast-acks-1s, broadcast-executor, broadcast-subscription-executor,"
            + " broadcast-subscription-io, broadcast-topic-executor, exclusive, floor, floor-acks,"
            + " reader, shared",
        "demo --consumers|--consumers has no value; allowed: 1 to 1000000",
        "demo --rate --consumers 5|--rate has no value; allowed: 0.01 to 1000000",
        "fanout --ack|--ack has no value; allowed: POLICY",
        "run smoke-50 --driver broadcast|--pulsar-home is null; allowed: a folder that has"
            + " bin/pulsar, or --service-url of a running broker",
      })
  void shouldNameOptionValueAndWhatIsAllowedInOneLine(String arguments, String error) {
    assertThat(execute(arguments.split(" "))).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(error()).isEqualTo(error);
    assertThat(folder.resolve("results")).doesNotExist();
  }

  @Test
  void shouldRefuseAWrongFileBeforeAnythingStarts() throws IOException {
    Path wrong = Files.writeString(folder.resolve("w.yaml"), "name: x\nrate: 5\n");

    int exit =
        execute(
            "run",
            wrong.toString(),
            "--driver",
            "broadcast",
            "--service-url",
            "pulsar://127.0.0.1:1");

    assertThat(exit).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(error()).contains("rate is not a key; allowed: ").contains("producerRate");
  }

  @ParameterizedTest
  @ValueSource(strings = {"run none --driver broadcast", "expand none --output x"})
  void shouldNameTheWorkloadsThatThereAre(String arguments) {
    assertThat(execute(arguments.split(" "))).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(error())
        .startsWith("WORKLOAD is none; allowed: a file, or one of ")
        .contains("ntt-100k, ", "smoke-50, ")
        .hasLineCount(1);
  }

  @Test
  void shouldNameTheCommandsWhenThereIsNoneOrAnUnknownOne() {
    assertThat(execute()).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(execute("fan-out")).isEqualTo(Program.EXIT_BAD_OPTION);

    assertThat(error().lines())
        .containsExactly(
            "No command; allowed: " + COMMANDS,
            "Unknown option or command: fan-out; commands are "
                + COMMANDS
                + ", and each has --help");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "help"})
  void shouldListTheCommandsOnOneScreen(String argument) {
    assertThat(execute(argument)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains(COMMANDS.split(", "));
    assertThat(out.toString(StandardCharsets.UTF_8).lines().count()).isLessThanOrEqualTo(32);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "fanout",
        "run",
        "reconnect",
        "heap",
        "stats",
        "stock-rates",
        "listeners",
        "hub",
        "clients",
        "topics",
        "soak",
        "churn",
        "catch-up",
        "kills",
        "unloads",
        "positions"
      })
  void shouldShowHelpOfEachCommand(String command) {
    assertThat(execute(command, "--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("Usage: bench " + command, "--output", "Default: results")
        .containsPattern(
            "--broker-heap-mb=MB\\s+Heap of the broker that is started.\\s+Default: 4096\\s");
  }

  @Test
  void shouldStartSmallBrokersWhereThereAreMany() {
    assertThat(execute("producers", "--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("--broker-heap-mb=MB\\s+.*\\s+Default: 384\\s");
  }

  @Test
  void shouldFailWhenNobodyListens() {
    int exit =
        execute(
            "demo",
            "--service-url=pulsar://127.0.0.1:1",
            "--consumers=2",
            "--output=" + folder.resolve("results"));

    assertThat(exit).isEqualTo(Program.EXIT_FAILED);
    assertThat(error()).startsWith("Cannot connect to 127.0.0.1:1").hasLineCount(1);
  }

  @Test
  void shouldSayWhenAFolderHasNoResults() {
    assertThat(execute("report", folder.toString())).isEqualTo(Program.EXIT_MISSING);
    assertThat(error()).isEqualTo("There are no result files in " + folder);
  }

  @Test
  @Timeout(60)
  void shouldMeasureTheFloorAndLeaveResults() throws IOException {
    Path results = folder.resolve("results");

    int exitCode =
        execute(
            "run",
            "ntt-20k",
            "--driver=floor,floor-acks",
            "--in-turn",
            "--consumers=50",
            "--connections=4",
            "--messages=6",
            "--warmup=2",
            "--rate=50",
            "--rounds=2",
            "--broker-heap-mb=256",
            "--output=" + results);

    assertThat(exitCode).as(error()).isZero();
    try (Stream<Path> folders = Files.list(results)) {
      Path result = folders.findFirst().orElseThrow();
      assertThat(result.getFileName().toString()).endsWith("-run");
      assertThat(Files.readString(result.resolve("result.txt")))
          .contains("./bench run ntt-20k", "last receiver P99, ms", "Floor, acks dropped");
      List<String> csv = Files.readAllLines(result.resolve("result.csv"));
      assertThat(csv).as("two series of two rounds and their sum, ratios, header").hasSize(10);
      JsonNode json = new ObjectMapper().readTree(result.resolve("result.json").toFile());
      assertThat(json.get("environment").get("processor").asText()).isNotEmpty();
      assertThat(json.get("tables").get("result")).hasSize(9);
      JsonNode run = new ObjectMapper().readTree(result.resolve("Floor-50-50msgs.json").toFile());
      JsonNode delivery = run.get("pulsarBroadcast").get("delivery");
      assertThat(delivery.get("received").asInt()).isEqualTo(600);
      assertThat(delivery.get("missing").asInt()).isZero();
      assertThat(Files.readString(result.resolve("report.html")))
          .contains("./bench run ntt-20k", "Floor, acks dropped", "<svg");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "5, --rounds=1, not done after 6 s",
    "5, --in-turn, not done after 6 s",
    "'5,10', --rounds=1, not tried: did not finish at 5"
  })
  @Timeout(60)
  void shouldEndWithOneAndNotTryMoreAfterARunThatTookTooLong(
      String sizes, String option, String said) {
    int exitCode =
        execute(
            "run",
            "ntt-20k",
            "--driver=floor",
            "--sizes=" + sizes,
            option,
            "--messages=1000",
            "--warmup=0",
            "--rate=10",
            "--step-limit-seconds=6",
            "--broker-heap-mb=256",
            "--output=" + folder);

    assertThat(exitCode).as(error()).isEqualTo(Program.EXIT_MISSING);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains(said);
  }

  @Test
  void shouldWriteAPlainWorkloadForEachRate() {
    int exit = execute("expand", "rates-10kb-1p", "--output", folder.resolve("x").toString());

    assertThat(exit).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(8);
    assertThat(folder.resolve("x/rates-10kb-1p-500msgs.yaml"))
        .content()
        .contains("producerRate: 500")
        .doesNotContain("rateSteps:");
  }

  private Path history(String... lines) throws IOException {
    return Files.write(folder.resolve("history.jsonl"), List.of(lines));
  }

  @Test
  void shouldCheckAHistoryAgain() throws IOException {
    String start =
        "{'event':'start','line':1,'micros':0,'flushMillis':1000,'marginMillis':0,"
            + "'patienceMillis':1000,'batchIndexAcks':true}";
    String publish =
        "{'event':'publish','line':%d,'micros':1,'phase':'%s','producer':'p','payload':1%s}";
    String subscribe =
        "{'event':'subscribe','line':%d,'micros':1,'phase':'%s','name':'a','incarnation':1,"
            + "'contract':'ordered'}";
    String delivery =
        "{'event':'delivery','line':6,'micros':1,'name':'a','incarnation':1,'broker':'b',"
            + "'id':'7:1','redeliveryCount':0,'payload':%d}";
    String[] lines = {
      start,
      subscribe.formatted(2, "invoked"),
      subscribe.formatted(3, "ok"),
      publish.formatted(4, "invoked", ""),
      publish.formatted(5, "ok", ",'id':'7:1'"),
      delivery.formatted(1)
    };
    for (int i = 0; i < lines.length; i++) {
      lines[i] = lines[i].replace('\'', '"');
    }

    assertThat(execute("history", history(lines).toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("6 events, 1 messages, 1 deliveries, 0 receipts, 0 faults: no violation");

    lines[5] = delivery.formatted(2).replace('\'', '"');
    assertThat(execute("history", history(lines).toString())).isEqualTo(Program.EXIT_MISSING);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("LOG, line 5 and 6: The id 7:1 has the payload 1 and the payload 2.");

    assertThat(execute("history", history(lines[0]).toString()))
        .as("nothing was delivered")
        .isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("VALID: Nothing was delivered.");

    Path damaged = history(lines[0], "?", lines[2]);
    assertThat(execute("history", damaged.toString())).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(error()).startsWith("Line 2 of " + damaged + " is not readable: ");
  }
}
