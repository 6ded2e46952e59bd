/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadCommandTest {
  private static final String SMOKE = "workloads/smoke-50.yaml";
  private static final String DRIVER = "drivers/broadcast.yaml";

  @TempDir Path folder;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  private int run(String... arguments) {
    PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
    return new WorkloadCommand(out, out).execute(arguments);
  }

  private String printed() {
    return output.toString(StandardCharsets.UTF_8).strip();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--seconds 0|--seconds is 0; allowed: 1 to 604800",
        "--consumers 0|--consumers is 0; allowed: 1 to 1000000",
        "--backlog-gb 0|--backlog-gb is 0; allowed: 0.001 to 10000",
        "--service-url http://x|--service-url is http://x; allowed: pulsar://host:port",
        "--metrics-url x:8080|--metrics-url is x:8080; allowed: http://host:port/metrics/",
        "--output pom.xml|--output is pom.xml; allowed: a folder",
        "--seconds ten|--seconds is ten; allowed: 1 to 604800",
      })
  void shouldNameTheOptionTheValueAndWhatIsAllowed(String wrong, String error) {
    List<String> arguments = new ArrayList<>(List.of("run", SMOKE, "--driver", DRIVER));
    arguments.addAll(List.of(wrong.split(" ")));
    if (!wrong.startsWith("--service-url")) {
      arguments.addAll(List.of("--service-url", "pulsar://127.0.0.1:1"));
    }

    assertThat(run(arguments.toArray(String[]::new))).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(printed()).contains(error);
  }

  @Test
  void shouldRefuseAWrongFileBeforeAnythingStarts() throws IOException {
    Path wrong = Files.writeString(folder.resolve("w.yaml"), "name: x\nrate: 5\n");

    int exit =
        run("run", wrong.toString(), "--driver", DRIVER, "--service-url", "pulsar://127.0.0.1:1");

    assertThat(exit).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(printed()).contains("rate is not a key; allowed: ").contains("producerRate");
  }

  @Test
  void shouldInsistOnADistributionOrARunningBroker() {
    assertThat(run("run", SMOKE, "--driver", DRIVER)).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(printed())
        .isEqualTo(
            "--pulsar-home is null; allowed: a folder that has bin/pulsar, or --service-url of a"
                + " running broker");
  }

  @Test
  void shouldNameTheCommandsWhenThereIsNoneOrAnUnknownOne() {
    assertThat(run()).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(run("runs")).isEqualTo(Program.EXIT_BAD_OPTION);

    assertThat(printed().lines())
        .containsExactly(
            "No command; allowed: run, tables, expand, report",
            "Unknown option or command: runs; commands are run, tables, expand, report, and each has"
                + " --help");
  }

  @Test
  void shouldKnowOnlyTheTablesThereAre() {
    assertThat(run("tables", "ibm")).isEqualTo(Program.EXIT_BAD_OPTION);
    assertThat(printed()).isEqualTo("TABLES is ibm; allowed: ntt");
  }

  @Test
  void shouldRefuseSizesThatNoTableHas() {
    assertThat(run("tables", "ntt", "--sizes", "100,100001")).isEqualTo(2);
    assertThat(printed())
        .isEqualTo(
            "--sizes is 100,100001; allowed: whole numbers from 1 to 100000, separated by commas");
  }

  @Test
  void shouldHaveADriverForEachOfNttsTablesWithTheBrokerSettingsItNeeds() throws IOException {
    List<Map<String, String>> settings = new ArrayList<>();
    for (String name : TablesCommand.NTT_DRIVERS) {
      settings.add(DriverFile.read(new File("drivers/" + name + ".yaml")).brokerSettings());
    }

    assertThat(settings)
        .containsExactly(
            Map.of(),
            Map.of("broadcastDispatchExecutor", "topic", "broadcastAckExecutor", "topic"),
            Map.of("broadcastDispatchExecutor", "subscription", "broadcastAckExecutor", "random"),
            Map.of());
  }

  @Test
  void shouldSayWhenAFolderHasNoResults() {
    assertThat(run("report", folder.toString())).isEqualTo(Program.EXIT_MISSING);
    assertThat(printed()).isEqualTo("There are no result files in " + folder);
  }

  @ParameterizedTest
  @CsvSource({"100000,20000 30000 40000 100000", "35000,20000 30000", "2000,500 1000 2000", "1,1"})
  void shouldTakeNttsSizesThatFitOrPartsOfWhatDoes(int max, String sizes) throws IOException {
    List<WorkloadFile> rows = new ArrayList<>();
    for (int thousands : new int[] {20, 30, 40, 100}) {
      rows.add(WorkloadFile.read(new File("workloads/ntt-" + thousands + "k.yaml")));
    }

    assertThat(TablesCommand.sizes(rows, max))
        .extracting(String::valueOf)
        .containsExactly(sizes.split(" "));
  }

  @Test
  void shouldWriteAPlainWorkloadForEachRate() throws IOException {
    int exit =
        run("expand", "workloads/rates-10kb-1p.yaml", "--output", folder.resolve("x").toString());

    assertThat(exit).isZero();
    assertThat(printed().lines()).hasSize(8);
    Path file = folder.resolve("x/rates-10kb-1p-500msgs.yaml");
    WorkloadFile expanded = WorkloadFile.read(file.toFile());
    assertThat(expanded.isStepped()).isFalse();
    assertThat(expanded.messagesPerSecond()).isEqualTo(500);
    assertThat(expanded.name()).isEqualTo("100 consumers, 10 KB, 1 partition, 500 msg/s");
    assertThat(Files.readString(file)).doesNotContain("rateSteps:");
  }
}
