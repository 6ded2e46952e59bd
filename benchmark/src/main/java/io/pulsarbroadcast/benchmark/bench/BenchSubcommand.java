/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What all commands have in common that measure. The main thread calls it. */
@Command(sortOptions = false, showDefaultValues = true, usageHelpWidth = 100)
public abstract class BenchSubcommand implements Callable<Integer> {
  private static final int EXIT_INTERRUPTED = 130;

  /** Where things are on this machine does not belong to a result. */
  private static final Set<String> PLACES =
      Set.of("--pulsar-home", "--nar", "--plugin-class-path", "--output");

  @ParentCommand private Console console;
  @Mixin private ServerOptions servers;
  @Mixin HelpOption help;
  @Spec private CommandSpec spec;
  private volatile boolean finished;
  private volatile boolean interrupted;

  protected BenchSubcommand() {
    this(new ServerOptions());
  }

  /** With other defaults of the memory that a broker has. */
  protected BenchSubcommand(int heapMegabytes, int directMegabytes) {
    this(new ServerOptions(heapMegabytes, directMegabytes));
  }

  /** With other defaults. */
  BenchSubcommand(ServerOptions servers) {
    this.servers = servers;
  }

  @Override
  public final Integer call() throws Exception {
    check();
    checkServers(servers);
    Session session = new Session(console, spec.name(), optionValues(), servers);
    Thread hook = new Thread(() -> stopping(session), "bench-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return measure(session);
    } catch (Exception e) {
      if (interrupted) {
        return EXIT_INTERRUPTED; // The broker is gone, and everything fails.
      }
      session.failed();
      throw e;
    } finally {
      finished = true;
      removeHook(hook);
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending.
    }
  }

  private void stopping(Session session) {
    if (!finished) {
      interrupted = true;
      session.progress().interrupt();
      console.err().println("Interrupted: the broker is stopped and its folder deleted");
    }
  }

  /** Throws for the first option of this command's own that is not allowed. */
  protected void check() throws Exception {}

  /** By default it starts a broker with the plugin. */
  void checkServers(ServerOptions options) {
    options.check(startsProcesses(), true, "");
    options.checkNar(true, "");
  }

  /** Whether the brokers are processes of a distribution, and not containers. */
  protected boolean startsProcesses() {
    return true;
  }

  /** Returns the exit code, usually that of {@link Session#finish}. */
  protected abstract int measure(Session session) throws Exception;

  private Map<String, String> optionValues() {
    Map<String, String> values = new LinkedHashMap<>();
    for (OptionSpec option : spec.options()) {
      if (!option.usageHelp()
          && option.getValue() != null
          && !PLACES.contains(option.longestName())) {
        values.put(option.longestName(), option.getValue().toString());
      }
    }
    return values;
  }
}
