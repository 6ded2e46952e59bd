/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static picocli.CommandLine.Help.Visibility.NEVER;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.LocalServer;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Any workload on any drivers. The main thread calls it. */
@Command(
    name = "run",
    header = "Workload files on driver files of OpenMessaging Benchmark's format.",
    description =
        "Runs each workload with each of the sizes on each of the drivers, which each get a server of"
            + " their own. What is given here goes over what the files say.")
public final class RunCommand extends BenchSubcommand {
  @Parameters(
      paramLabel = "WORKLOAD",
      arity = "1..*",
      description = "Workload files: paths, or names of benchmark/workloads.")
  private List<String> workloads;

  @Option(
      names = "--driver",
      paramLabel = "FILE",
      split = ",",
      required = true,
      description = "Driver files, with commas between: paths, or names of benchmark/drivers.")
  private List<String> drivers;

  @Option(
      names = "--sizes",
      paramLabel = "N,N,...",
      split = ",",
      showDefaultValue = NEVER,
      description = "Several numbers of consumers, one after the other; 0 only publishes.")
  @Range(from = 0, to = 1_000_000)
  private List<Integer> sizes = List.of();

  @Option(names = "--rounds", paramLabel = "N", description = "How often each run is repeated.")
  @Range(from = 1, to = 1_000)
  private int rounds = 1;

  @Option(
      names = "--in-turn",
      description = "Keep the servers of all drivers, which take turns, and show the ratios.")
  private boolean inTurn;

  @Option(
      names = "--step-limit-seconds",
      paramLabel = "N",
      description = "A run that takes longer is stopped, and counts as not finished.")
  @Range(from = 1, to = 604_800)
  private int stepLimitSeconds = 604_800;

  @Option(
      names = "--keep-going",
      description = "Try larger sizes of a driver also after one that did not finish.")
  private boolean keepGoing;

  @Option(
      names = "--round-limit-seconds",
      paramLabel = "N",
      description = "A catch-up round is given up after this time.")
  @Range(from = 1, to = 86_400)
  private int roundLimitSeconds = 600;

  @Mixin private Plans plans = new Plans(new RunLoadOptions());
  @Mixin private RunningBrokerOptions running = new RunningBrokerOptions();
  @Mixin private RecordingOptions recording = new RecordingOptions();

  private final List<DriverFile> driverFiles = new ArrayList<>();
  private final List<WorkloadFile> workloadFiles = new ArrayList<>();

  /** All files are read before anything starts. */
  @Override
  protected void check() throws IOException {
    plans.load.check();
    running.check();
    for (String driver : drivers) {
      driverFiles.add(BenchFiles.driver(driver));
    }
    for (String workload : workloads) {
      workloadFiles.add(BenchFiles.workload(workload));
    }
    for (WorkloadFile workload : workloadFiles) {
      for (DriverFile driver : driverFiles) {
        List<Plan> rates = plans.of(workload, driver, sizes(workload).get(0));
        if (inTurn && rates.size() > 1) {
          throw new InvalidOptionException(
              "--in-turn is given for %s, which has %d rates; allowed: a workload of one, or --rate"
                  .formatted(workload.name, rates.size()));
        }
      }
    }
  }

  @Override
  void checkServers(ServerOptions options) {
    boolean broker = driverFiles.stream().anyMatch(d -> d.localServer != LocalServer.floor);
    boolean plugin = driverFiles.stream().anyMatch(d -> d.localServer == LocalServer.plugin);
    options.check(broker && !running.isGiven(), plugin, ", or --service-url of a running broker");
  }

  private List<Integer> sizes(WorkloadFile workload) {
    if (!sizes.isEmpty()) {
      return sizes;
    }
    Integer consumers = plans.load.consumers;
    return List.of(consumers == null ? workload.subscriptionsPerTopic : consumers);
  }

  @Override
  protected int measure(Session session) throws Exception {
    Runs runs =
        new Runs(
            session,
            recording,
            Duration.ofSeconds(stepLimitSeconds),
            Duration.ofSeconds(roundLimitSeconds));
    List<String> names = new ArrayList<>();
    for (WorkloadFile workload : workloadFiles) {
      names.add(workload.name);
      driverFiles.forEach(
          driver ->
              Plans.ignored(workload, driver)
                  .forEach(key -> session.print("Not used in local runs: %s", key)));
      if (inTurn) {
        for (int size : sizes(workload)) {
          inTurn(session, runs, workload, size);
        }
      } else {
        oneAfterTheOther(session, runs, workload);
      }
    }
    return runs.report(String.join("; ", names));
  }

  private void oneAfterTheOther(Session session, Runs runs, WorkloadFile workload)
      throws IOException, InterruptedException {
    Map<DriverFile, Integer> notFinished = new HashMap<>();
    for (int size : sizes(workload)) {
      for (DriverFile driver : driverFiles) {
        List<Plan> rates = plans.of(workload, driver, size);
        if (notFinished.containsKey(driver) && !keepGoing) {
          runs.skip(rates.get(0), "not tried: did not finish at " + notFinished.get(driver));
          continue;
        }
        // A fresh server for each: what one leaves behind must not weigh on the next.
        try (LoadServer server = start(session, rates.get(0))) {
          if (!runs.run(rates, server, rounds)) {
            notFinished.put(driver, size);
          }
        }
      }
    }
  }

  private void inTurn(Session session, Runs runs, WorkloadFile workload, int size)
      throws IOException, InterruptedException {
    List<Plan> ofDrivers =
        driverFiles.stream().map(driver -> plans.of(workload, driver, size).get(0)).toList();
    runs.inTurn(ofDrivers, rounds, plan -> start(session, plan));
  }

  private LoadServer start(Session session, Plan plan) throws IOException, InterruptedException {
    return running.isGiven() && plan.server() != LocalServer.floor
        ? running.broker()
        : session.start(plan.server(), plan.brokerSettings());
  }
}
