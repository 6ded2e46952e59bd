/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.benchmark.server.BrokerLoadServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The same load with different settings of the broker. The main thread calls it. */
@Command(
    name = "ablation",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "The same load on brokers with different settings, one after the other; --subscriptions 4"
            + " deals the consumers out to four Broadcast subscriptions.")
final class AblationCommand extends BenchSubcommand {
  private static final String DEFAULT_COMBINATIONS = "ablation.json";

  /** Settings under a name, as in the file. */
  record Combination(String name, Map<String, String> settings) {
    Combination {
      if (name == null || name.isBlank() || settings == null) {
        throw new IllegalArgumentException("a combination needs a name and settings");
      }
    }
  }

  @Option(
      names = "--combinations",
      paramLabel = "FILE",
      description =
          "JSON: [{\"name\": ..., \"settings\": {\"key\": \"value\"}}, ...] (default: the list that"
              + " comes with the benchmark).")
  private Path file;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each one is measured (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  private int rounds = 2;

  AblationCommand() {
    super("ablation", new LoadOptions());
  }

  @Override
  void check() {
    combinations();
  }

  private List<Combination> combinations() {
    try (InputStream json =
        file == null
            ? AblationCommand.class.getResourceAsStream(DEFAULT_COMBINATIONS)
            : Files.newInputStream(file)) {
      return new ObjectMapper().readValue(json, new TypeReference<List<Combination>>() {});
    } catch (JsonProcessingException e) {
      throw new InvalidOptionException(
          "--combinations is %s; allowed: a JSON list of names and settings; %s"
              .formatted(file, e.getOriginalMessage()));
    } catch (IOException e) {
      throw new InvalidOptionException(
          "--combinations is %s; allowed: a file that can be read; %s".formatted(file, e));
    }
  }

  @Override
  int measure(BenchSession session) throws Exception {
    SeriesTable all = new SeriesTable();
    SeriesTable shown = new SeriesTable();
    List<RunResult> merged = new ArrayList<>();
    for (Combination combination : combinations()) {
      List<RunResult> results = measure(session, combination);
      for (int round = 0; round < results.size(); round++) {
        all.add(combination.name, Integer.toString(round + 1), results.get(round));
      }
      RunResult sum = RunResult.merge(combination.name, results);
      all.add(combination.name, SeriesTable.ALL_ROUNDS, sum);
      shown.add(combination.name, SeriesTable.ALL_ROUNDS, sum);
      merged.add(sum);
    }
    String newLine = System.lineSeparator();
    String text = load().line() + newLine + newLine + shown.table().transposedText();
    session.out().println();
    session
        .out()
        .print(session.results().write(text, all.table(), merged.get(0).brokerVersion(), merged));
    session.out().println("Results: " + session.results().folder());
    return merged.stream().allMatch(result -> result.delivery().missing() == 0)
        ? Program.EXIT_COMPLETE
        : Program.EXIT_MISSING;
  }

  private List<RunResult> measure(BenchSession session, Combination combination) throws Exception {
    List<RunResult> results = new ArrayList<>();
    try (BrokerLoadServer broker =
        session.startBroker(combination.name, true, combination.settings)) {
      for (int round = 0; round < rounds; round++) {
        results.add(
            session.run(
                combination.name,
                broker,
                load().broadcast(broker.serviceUrl(), session.newTopic()).build(),
                load().plan()));
      }
    }
    return results;
  }
}
