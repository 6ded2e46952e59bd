/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.report.Environment;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.PulsarClientException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/**
 * What all scenarios have in common: options, a broker, progress, promises, results, exit codes.
 * One thread may call it, once.
 */
abstract class AbstractScenario implements Callable<Integer> {
  static final String SUBSCRIPTION = "all";
  static final String EXIT_CODES =
      "Exit code: 0 when all promises are kept, 1 when one is broken, 2 for a wrong option, 3 when"
          + " the run failed.";

  @Mixin CommonOptions common = new CommonOptions();
  @Spec CommandSpec spec;

  final PrintStream out;
  final PrintStream err;
  final Map<String, Object> figures = new LinkedHashMap<>();
  private final List<Promise> promises = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();
  private final long startNanos = System.nanoTime();
  private ResultsFolder results;
  private ScenarioBroker broker;
  private String brokerVersion = "unknown";

  AbstractScenario(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Throws for the first option that is not allowed. */
  void check() {}

  /** Lines of standalone.conf for the broker. */
  abstract Map<String, String> brokerSettings();

  /** Runs with a started broker; says what it found with {@link #promise} and {@link #print}. */
  abstract void run(ScenarioBroker broker, ResultsFolder results)
      throws IOException, InterruptedException, FleetException;

  @Override
  public final Integer call() throws IOException, InterruptedException {
    common.check();
    check();
    results = new ResultsFolder(common.output, spec.name());
    try (ScenarioBroker started = ScenarioBroker.create(common, spec.name(), brokerSettings())) {
      broker = started;
      say("starting the broker");
      broker.start();
      run(broker, results);
      return finish();
    } catch (IOException | FleetException | RuntimeException e) {
      return failed(e);
    }
  }

  private int failed(Exception e) throws IOException {
    boolean expected = e instanceof FleetException || e instanceof IOException;
    err.println(expected ? e.getMessage() : e.toString());
    if (broker != null) {
      err.println("Broker log: " + broker.keepLog(results));
    }
    return Program.EXIT_FAILED;
  }

  private int finish() throws IOException {
    boolean kept = true;
    StringBuilder lines = new StringBuilder();
    for (Promise promise : promises) {
      boolean decides = !promise.measured() || !common.countsOnly;
      kept &= promise.kept() || !decides;
      lines.append(promise.line());
      lines.append(!promise.kept() && !decides ? " (does not count)" : "");
      lines.append(System.lineSeparator());
    }
    print("");
    print(lines.toString().stripTrailing());
    results.write(
        Environment.current(brokerVersion), optionValues(), figures, promises, text.toString());
    if (!kept) {
      err.println("Broker log: " + broker.keepLog(results));
    }
    out.println("Results: " + results.path());
    return kept ? Program.EXIT_COMPLETE : Program.EXIT_MISSING;
  }

  private Map<String, Object> optionValues() {
    Map<String, Object> values = new LinkedHashMap<>();
    for (OptionSpec option : spec.options()) {
      if (!option.usageHelp() && option.getValue() != null) {
        values.put(option.longestName(), option.getValue().toString());
      }
    }
    return values;
  }

  final void brokerVersion(String version) {
    brokerVersion = version;
  }

  final void promise(Promise promise) {
    promises.add(promise);
  }

  /** A line of progress: with the time, and not part of the results. */
  final void say(String format, Object... values) {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    out.printf(Locale.ROOT, "%8.1f s  %s%n", millis / 1_000.0, format(format, values));
  }

  /** Part of the results. */
  final void print(String lines) {
    out.println(lines);
    text.append(lines).append(System.lineSeparator());
  }

  static String format(String format, Object... values) {
    return values.length == 0 ? format : String.format(Locale.ROOT, format, values);
  }

  /** Wraps what the stock client throws. */
  static IOException publishing(PulsarClientException e) {
    return new IOException("Publishing failed: " + e.getMessage(), e);
  }
}
