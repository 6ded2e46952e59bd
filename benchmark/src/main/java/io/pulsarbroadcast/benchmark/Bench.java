/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import io.pulsarbroadcast.benchmark.bench.ClientsCommand;
import io.pulsarbroadcast.benchmark.bench.Console;
import io.pulsarbroadcast.benchmark.bench.DemoCommand;
import io.pulsarbroadcast.benchmark.bench.ExpandCommand;
import io.pulsarbroadcast.benchmark.bench.FanoutCommand;
import io.pulsarbroadcast.benchmark.bench.HeapCommand;
import io.pulsarbroadcast.benchmark.bench.HistoryCommand;
import io.pulsarbroadcast.benchmark.bench.HubCommand;
import io.pulsarbroadcast.benchmark.bench.JmhCommand;
import io.pulsarbroadcast.benchmark.bench.ListenersCommand;
import io.pulsarbroadcast.benchmark.bench.ProducersCommand;
import io.pulsarbroadcast.benchmark.bench.ReconnectCommand;
import io.pulsarbroadcast.benchmark.bench.ReportCommand;
import io.pulsarbroadcast.benchmark.bench.RunCommand;
import io.pulsarbroadcast.benchmark.bench.StatsCommand;
import io.pulsarbroadcast.benchmark.bench.StockRatesCommand;
import io.pulsarbroadcast.benchmark.bench.TopicsCommand;
import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.nemesis.NemesisCommand;
import io.pulsarbroadcast.benchmark.scenario.CatchUpScenario;
import io.pulsarbroadcast.benchmark.scenario.ChurnScenario;
import io.pulsarbroadcast.benchmark.scenario.KillsScenario;
import io.pulsarbroadcast.benchmark.scenario.PositionsScenario;
import io.pulsarbroadcast.benchmark.scenario.SoakScenario;
import io.pulsarbroadcast.benchmark.scenario.UnloadsScenario;
import java.io.PrintStream;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The one command line of everything that measures. The main thread calls it, and tests do. */
@Command(
    name = "bench",
    sortOptions = false,
    usageHelpWidth = 100,
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Measures Broadcast subscriptions on an unmodified Pulsar that is started here with the plugin.",
    subcommands = {
      DemoCommand.class,
      FanoutCommand.class,
      RunCommand.class,
      ReportCommand.class,
      ExpandCommand.class,
      ReconnectCommand.class,
      HeapCommand.class,
      StatsCommand.class,
      StockRatesCommand.class,
      ListenersCommand.class,
      HubCommand.class,
      ProducersCommand.class,
      ClientsCommand.class,
      TopicsCommand.class,
      SoakScenario.class,
      ChurnScenario.class,
      CatchUpScenario.class,
      KillsScenario.class,
      UnloadsScenario.class,
      NemesisCommand.class,
      PositionsScenario.class,
      HistoryCommand.class,
      JmhCommand.class,
      CommandLine.HelpCommand.class
    },
    footer = {
      "",
      "bench COMMAND --help lists the options of a command; docs/measure.md says what each measures.",
      "Results: a folder in results/ with report.html, result.txt, result.json, CSV files and logs.",
      "Exit code: 0 when every check holds, 1 when not, 2 for a wrong option, 3 when the run failed."
    })
public final class Bench implements Console {
  /** Set by the script, which knows whether its output goes to a terminal. */
  private static final String TERMINAL_PROPERTY = "bench.terminal";

  @Mixin HelpOption help;

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private String commandLine = "";

  /** {@code terminal} says whether {@code out} can show a progress bar. */
  public Bench(PrintStream out, PrintStream err, boolean terminal) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  public static void main(String[] arguments) {
    System.setProperty("java.awt.headless", "true");
    boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);
    System.exit(new Bench(System.out, System.err, terminal).execute(arguments));
  }

  /** Parses the arguments, runs, and returns the exit code. */
  public int execute(String... arguments) {
    commandLine = "./bench " + String.join(" ", withoutWhatTheScriptAdds(arguments));
    return Program.run(new CommandLine(this), out, err, arguments);
  }

  /** The options by which the script tells where things are. */
  private static List<String> withoutWhatTheScriptAdds(String... arguments) {
    return List.of(arguments).stream()
        .filter(argument -> !argument.matches("--(pulsar-home|nar|plugin-class-path)=.*"))
        .toList();
  }

  @Override
  public PrintStream out() {
    return out;
  }

  @Override
  public PrintStream err() {
    return err;
  }

  @Override
  public boolean isTerminal() {
    return terminal;
  }

  @Override
  public String commandLine() {
    return commandLine;
  }
}
