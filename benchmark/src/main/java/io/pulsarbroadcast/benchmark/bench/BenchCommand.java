/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.OptionRange;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.pulsar.client.api.PulsarClientException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

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
      AblationCommand.class
    },
    footer = {
      "  jmh        The pieces of the plugin against the plain alternatives; its options are JMH's.",
      "",
      "bench COMMAND --help lists the options of a command. docs/benchmarks.md says how to read the"
          + " results.",
      "Exit code: 0 when nothing is missing, 1 when something is, 2 for a wrong option, 3 when the"
          + " run failed."
    })
public final class BenchCommand {
  public static final int EXIT_COMPLETE = 0;
  public static final int EXIT_MISSING = 1;
  public static final int EXIT_BAD_OPTION = 2;
  public static final int EXIT_FAILED = 3;

  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

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
    CommandLine parser = new CommandLine(this);
    parser
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler((e, args) -> refuse(describe(e)))
        .setExecutionExceptionHandler((e, command, parsed) -> failed(e));
    if (arguments.length == 0) {
      return refuse("No command; allowed: " + String.join(", ", commands(parser)) + ", jmh");
    }
    return parser.execute(arguments);
  }

  private static List<String> commands(CommandLine parser) {
    return List.copyOf(parser.getSubcommands().keySet());
  }

  /** The options by which the script tells where things are. */
  private static List<String> withoutWhatTheScriptAdds(String... arguments) {
    return List.of(arguments).stream()
        .filter(a -> !a.startsWith("--pulsar-home=") && !a.startsWith("--nar="))
        .toList();
  }

  private int refuse(String error) {
    err.println(error);
    return EXIT_BAD_OPTION;
  }

  private int failed(Exception e) {
    if (e instanceof InvalidOptionException) {
      return refuse(e.getMessage());
    }
    boolean saysWhat =
        e instanceof IOException
            || e instanceof UncheckedIOException
            || e instanceof PulsarClientException
            || e instanceof io.pulsarbroadcast.benchmark.load.FleetException;
    err.println(saysWhat ? e.getMessage() : e.toString());
    return EXIT_FAILED;
  }

  private static String describe(ParameterException e) {
    if (e.getArgSpec() instanceof CommandLine.Model.OptionSpec option && e.getValue() != null) {
      return OptionRange.of(option.longestName())
          .map(range -> range.error(e.getValue()))
          .orElseGet(() -> firstLine(e));
    }
    return firstLine(e);
  }

  private static String firstLine(ParameterException e) {
    return e.getMessage().lines().findFirst().orElse("Wrong option") + "; see --help";
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
