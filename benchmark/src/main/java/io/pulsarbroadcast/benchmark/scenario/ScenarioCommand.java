/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.Program;
import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of all scenarios. The main thread calls it, and tests do. */
@Command(
    name = "scenario",
    sortOptions = false,
    usageHelpWidth = 100,
    synopsisSubcommandLabel = "COMMAND",
    description = "Long runs that check what a Broadcast subscription promises.",
    footer = {"", "docs/scenarios.md says how long each takes, what it shows and how to read it."})
public final class ScenarioCommand {
  @Mixin HelpOption help;

  private final PrintStream out;
  private final PrintStream err;

  public ScenarioCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Parses the arguments, runs one scenario, and returns the exit code. */
  public int execute(String... arguments) {
    CommandLine commandLine =
        new CommandLine(this)
            .addSubcommand(new SoakScenario(out, err))
            .addSubcommand(new CatchUpScenario(out, err))
            .addSubcommand(new KillsScenario(out, err))
            .addSubcommand(new UnloadsScenario(out, err))
            .addSubcommand(new PositionsScenario(out, err));
    return Program.run(commandLine, out, err, arguments);
  }
}
