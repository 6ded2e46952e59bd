/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.benchmark.report.PlotReport;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * The same load on several servers in turn, again and again, so that whatever else the machine does
 * meets all of them alike. Not thread-safe.
 */
final class Rounds {
  /** One server, or one way to put load on it. */
  private record Series(String name, LoadServer server, Function<String, LoadConfig> config) {}

  private final BenchSession session;
  private final LoadOptions load;
  private final List<Series> series = new ArrayList<>();
  private final List<List<RunResult>> results = new ArrayList<>();

  Rounds(BenchSession session, LoadOptions load) {
    this.session = session;
    this.load = load;
  }

  /** The first one added is compared with the others. {@code config} is given the topic. */
  void add(String name, LoadServer server, Function<String, LoadConfig> config) {
    series.add(new Series(name, server, config));
    results.add(new ArrayList<>());
  }

  void run(int rounds) throws FleetException, InterruptedException, PulsarClientException {
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < series.size(); i++) {
        Series next = series.get(i);
        results
            .get(i)
            .add(
                session.run(
                    next.name, next.server, next.config.apply(session.newTopic()), load.plan()));
      }
    }
  }

  /** Shows and writes everything; returns the exit code. */
  int report() throws IOException {
    SeriesTable all = new SeriesTable();
    SeriesTable shown = new SeriesTable();
    List<RunResult> merged = new ArrayList<>();
    for (int i = 0; i < series.size(); i++) {
      String name = series.get(i).name;
      for (int round = 0; round < results.get(i).size(); round++) {
        all.add(name, Integer.toString(round + 1), results.get(i).get(round));
      }
      merged.add(RunResult.merge(name, results.get(i)));
      all.add(name, SeriesTable.ALL_ROUNDS, merged.get(i));
      shown.add(name, SeriesTable.ALL_ROUNDS, merged.get(i));
    }
    for (int i = 1; i < series.size(); i++) {
      for (int round = 0; round < results.get(i).size(); round++) {
        all.addRatio(
            Integer.toString(round + 1), results.get(0).get(round), results.get(i).get(round));
      }
      all.addRatio(SeriesTable.ALL_ROUNDS, merged.get(0), merged.get(i));
      shown.addRatio(SeriesTable.ALL_ROUNDS, merged.get(0), merged.get(i));
    }
    write(all.table(), shown.table(), merged);
    return exitCode(merged);
  }

  private void write(ResultTable all, ResultTable shown, List<RunResult> merged)
      throws IOException {
    String text = load.line() + System.lineSeparator().repeat(2) + shown.transposedText();
    session.out().println();
    session.out().print(session.results().write(text, all, merged.get(0).brokerVersion(), merged));
    try {
      PlotReport.write(session.results().folder(), "plot", load.line(), merged);
    } catch (RuntimeException | LinkageError e) {
      // A JRE without fonts cannot draw; the figures are there all the same.
      session.err().println("The plot was not written: " + e);
    }
    session.out().println("Results: " + session.results().folder());
  }

  private int exitCode(List<RunResult> merged) {
    int code = Program.EXIT_COMPLETE;
    for (RunResult result : merged) {
      if (result.delivery().missing() > 0 || result.delivery().published() == 0) {
        session
            .err()
            .printf(
                "%s: %d deliveries are missing; first error: %s%n",
                result.name(), result.delivery().missing(), result.firstError());
        code = Program.EXIT_MISSING;
      }
    }
    return code;
  }
}
