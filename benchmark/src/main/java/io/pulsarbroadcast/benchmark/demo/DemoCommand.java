/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.demo;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.OptionRange;
import io.pulsarbroadcast.benchmark.cli.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** The command line of the demo. The main thread calls it. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = false,
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Starts an unmodified Pulsar with the plugin, connects very many consumers to one Broadcast"
            + " subscription, and shows how fast every one of them gets every message.",
    footer = {
      "",
      "Exit code: 0 when nothing is missing, 1 when something is, 2 for a wrong option, 3 when the"
          + " run failed."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int EXIT_INTERRUPTED = 130;

  @Mixin private DemoOptions options = new DemoOptions();

  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private volatile boolean finished;
  private volatile boolean interrupted;

  /** {@code terminal} says whether {@code out} can show a progress bar. */
  public DemoCommand(PrintStream out, PrintStream err, boolean terminal) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /** Parses the arguments, runs, and returns the exit code. */
  public int execute(String... arguments) {
    return new CommandLine(this)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler((e, args) -> refuse(describe(e)))
        .execute(arguments);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    try {
      options.check();
    } catch (InvalidOptionException e) {
      return refuse(e.getMessage());
    }
    Progress progress = new Progress(out, terminal);
    Thread hook = new Thread(() -> stopping(progress), "demo-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return new DemoSession(options, out, err, progress).run();
    } catch (IOException | RuntimeException e) {
      return failed(e);
    } finally {
      finished = true;
    }
  }

  /** After Ctrl-C everything fails because the broker is gone; that is not worth a message. */
  private int failed(Exception e) {
    if (interrupted) {
      return EXIT_INTERRUPTED;
    }
    err.println(e instanceof IOException ? e.getMessage() : e.toString());
    return DemoSession.EXIT_FAILED;
  }

  private void stopping(Progress progress) {
    if (!finished) {
      interrupted = true;
      progress.interrupt();
      err.println("Interrupted: the broker is stopped and its folder deleted");
    }
  }

  private int refuse(String error) {
    err.println(error);
    return DemoSession.EXIT_BAD_OPTION;
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
}
