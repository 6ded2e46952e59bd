/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.Program;
import java.io.PrintStream;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of the benchmarks. The main thread calls it. */
@Command(
    name = "bench",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Measures Broadcast subscriptions on an unmodified Pulsar that is started here, beside what"
            + " the machine allows and beside Pulsar's own types.",
    subcommands = {
      FanoutCommand.class,
      FloorCommand.class,
      CompareCommand.class,
      RampCommand.class,
      ReconnectCommand.class,
      HeapCommand.class,
      AblationCommand.class,
      JmhCommand.class
    },
    footer = {
      "",
      "bench COMMAND --help lists the options of a command. docs/benchmarks.md says how to read the"
          + " results.",
      "Exit code: 0 when nothing is missing, 1 when something is, 2 for a wrong option, 3 when the"
          + " run failed."
    })
public final class BenchCommand {
  @Mixin HelpOption help;

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private String commandLine = "";

  /** {@code terminal} says whether {@code out} can show a progress bar. */
  public BenchCommand(PrintStream out, PrintStream err, boolean terminal) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /** Parses the arguments, runs, and returns the exit code. */
  public int execute(String... arguments) {
    commandLine = "./bench " + String.join(" ", withoutWhatTheScriptAdds(arguments));
    return Program.run(new CommandLine(this), out, err, arguments);
  }

  /** The options by which the script tells where things are. */
  private static List<String> withoutWhatTheScriptAdds(String... arguments) {
    return List.of(arguments).stream()
        .filter(a -> !a.startsWith("--pulsar-home=") && !a.startsWith("--nar="))
        .toList();
  }

  PrintStream out() {
    return out;
  }

  PrintStream err() {
    return err;
  }

  boolean isTerminal() {
    return terminal;
  }

  /** What was asked for, to be kept with the results. */
  String commandLine() {
    return commandLine;
  }
}
