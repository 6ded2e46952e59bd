/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.history.HistoryChecker.Summary;
import io.pulsarbroadcast.benchmark.history.HistoryVerdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Checks a history again that was recorded before. The main thread calls it. */
@Command(
    name = "history",
    header = "Checks a recorded history again.",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Checks whether a history, as kills, unloads and nemesis record it, keeps the invariants. Exit code:"
            + " 0 when it does, 1 when not, 2 when it cannot be read or says nothing.")
public final class HistoryCommand implements Callable<Integer> {
  @ParentCommand private Console console;

  @Parameters(paramLabel = "FILE", description = "A history: history.jsonl.gz, or not compressed.")
  private Path file;

  @Mixin HelpOption help;

  @Override
  public Integer call() {
    if (!Files.isRegularFile(file)) {
      throw new InvalidOptionException("FILE is " + file + "; allowed: a history");
    }
    HistoryVerdict verdict;
    try {
      verdict = HistoryVerdict.of(file);
    } catch (IOException e) {
      console.err().println(e.getMessage());
      return Program.EXIT_BAD_OPTION;
    }
    print(verdict);
    if (verdict.isBroken()) {
      return Program.EXIT_MISSING;
    }
    return verdict.violations().isEmpty() ? Program.EXIT_COMPLETE : Program.EXIT_BAD_OPTION;
  }

  private void print(HistoryVerdict verdict) {
    if (verdict.truncated()) {
      console.err().println("The last line has no end, and is left out: " + file);
    }
    verdict.violations().forEach(console.out()::println);
    Summary summary = verdict.summary();
    console
        .out()
        .printf(
            Locale.ROOT,
            "%,d events, %,d messages, %,d deliveries, %,d receipts, %,d faults: %s%n",
            summary.events(),
            summary.published(),
            summary.deliveries(),
            summary.receipts(),
            summary.faults().size(),
            verdict.violations().isEmpty()
                ? "no violation"
                : String.format(Locale.ROOT, "%,d violations", verdict.violations().size()));
  }
}
