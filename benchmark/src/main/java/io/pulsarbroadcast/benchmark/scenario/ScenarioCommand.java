/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line of all scenarios. The main thread calls it, and tests do. */
@Command(
    name = "scenario",
    sortOptions = false,
    usageHelpWidth = 100,
    synopsisSubcommandLabel = "COMMAND",
    description = "Long runs that check what a Broadcast subscription promises.",
    footer = {"", "docs/scenarios.md says how long each takes, what it shows and how to read it."})
public final class ScenarioCommand implements Runnable {
  static final int EXIT_KEPT = 0;
  static final int EXIT_BROKEN = 1;
  static final int EXIT_BAD_OPTION = 2;
  static final int EXIT_FAILED = 3;

  private static final String UNKNOWN =
      "Unknown option or command: %s; commands are %s, and each has --help";

  @Spec private CommandSpec spec;

  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  private final PrintStream out;
  private final PrintStream err;

  public ScenarioCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Parses the arguments, runs one scenario, and returns the exit code. */
  public int execute(String... arguments) {
    return new CommandLine(this)
        .addSubcommand(new SoakScenario(out, err))
        .addSubcommand(new CatchUpScenario(out, err))
        .addSubcommand(new KillsScenario(out, err))
        .addSubcommand(new UnloadsScenario(out, err))
        .addSubcommand(new PositionsScenario(out, err))
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler((e, args) -> refuse(e))
        .execute(arguments);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "No command; allowed: " + commands());
  }

  private String commands() {
    return String.join(", ", spec.subcommands().keySet());
  }

  private int refuse(ParameterException e) {
    String line =
        e instanceof UnmatchedArgumentException unmatched
            ? UNKNOWN.formatted(unmatched.getUnmatched().get(0), commands())
            : e.getMessage().lines().findFirst().orElse("Wrong option");
    err.println(
        line.contains("allowed:") || line.contains("--help") ? line : line + "; see --help");
    return EXIT_BAD_OPTION;
  }
}
