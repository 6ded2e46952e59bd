/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Plan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Every message to every consumer, and beside it the floor. The main thread calls it. */
@Command(
    name = "fanout",
    header = "100,000 consumers of one topic; --floor: beside what the machine allows.",
    description =
        "Every message to every consumer of a Broadcast subscription; with --floor beside what the"
            + " machine allows, in the same run.")
public final class FanoutCommand extends BenchSubcommand {
  @Option(
      names = "--floor",
      description =
          "Put the same load on a bare server, in turn with the broker, and show the ratios.")
  private boolean withFloor;

  @Option(names = "--rounds", paramLabel = "N", description = "How often each one has its turn.")
  @Range(from = 1, to = 1_000)
  private int rounds = 3;

  @Mixin private RunLoadOptions load = new RunLoadOptions(100_000, 1, 10_240, 60, 30);
  @Mixin private RecordingOptions recording = new RecordingOptions();

  private final List<Plan> plans = new ArrayList<>();

  @Override
  protected void check() throws IOException {
    load.check();
    plans.add(Plans.of(load, BenchFiles.driver("broadcast")));
    if (withFloor) {
      plans.add(Plans.of(load, BenchFiles.driver("floor")));
    }
  }

  @Override
  protected int measure(Session session) throws Exception {
    session.say("the load generator keeps %,d bytes per consumer", plans.get(0).bytesPerConsumer());
    Runs runs = new Runs(session, recording);
    runs.inTurn(plans, rounds, plan -> session.start(plan.server(), plan.brokerSettings()));
    return runs.report(load.line());
  }
}
