/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** What all benchmark commands have in common. The main thread calls it. */
abstract class BenchSubcommand implements Callable<Integer> {
  @ParentCommand private BenchCommand bench;

  @Mixin private LoadOptions load;

  @Mixin private ServerOptions servers = new ServerOptions();

  @Mixin HelpOption help;

  private final String name;

  /** {@code load} has the defaults of this command. */
  BenchSubcommand(String name, LoadOptions load) {
    this.name = name;
    this.load = load;
  }

  @Override
  public final Integer call() throws Exception {
    load.check();
    check();
    servers.check(needsBroker());
    return measure(new BenchSession(bench, name, servers, load, describe()));
  }

  /** Throws for the first option of this command's own that is not allowed. */
  void check() {}

  /** The load in one line, as it stands above the results. */
  String describe() {
    return load.line();
  }

  boolean needsBroker() {
    return true;
  }

  /** Returns the exit code. */
  abstract int measure(BenchSession session) throws Exception;

  LoadOptions load() {
    return load;
  }

  ServerOptions servers() {
    return servers;
  }
}
