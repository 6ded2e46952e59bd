/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.demo;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

  @Mixin HelpOption help;

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
    return Program.run(new CommandLine(this), out, err, arguments);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    Progress progress = new Progress(out, terminal);
    Thread hook = new Thread(() -> stopping(progress), "demo-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return new DemoSession(options, out, err, progress).run();
    } catch (IOException | RuntimeException e) {
      if (interrupted) {
        return EXIT_INTERRUPTED; // The broker is gone, and everything fails.
      }
      throw e;
    } finally {
      finished = true;
    }
  }

  private void stopping(Progress progress) {
    if (!finished) {
      interrupted = true;
      progress.interrupt();
      err.println("Interrupted: the broker is stopped and its folder deleted");
    }
  }
}
