/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The first thing to try. The main thread calls it. */
@Command(
    name = "demo",
    header = "1,000 consumers of one topic: the first thing to try; also ./demo.",
    description =
        "Starts an unmodified Pulsar with the plugin, connects very many consumers to one Broadcast"
            + " subscription, and shows how fast every one of them gets every message.")
public final class DemoCommand extends BenchSubcommand {
  private static final int MAX_DEFAULT_WARMUP = 10;
  private static final int WARMUP_SHARE = 6;

  @Option(
      names = "--compare",
      description =
          "After Broadcast, the same load on the same broker with a stock Exclusive subscription"
              + " per consumer; then both side by side.")
  private boolean compare;

  /** Of the warm-up, a sixth of the messages, at most 10, when not given. */
  @Mixin private RunLoadOptions load = new RunLoadOptions(1_000, 2, 10_240, 60, null);

  @Mixin private RunningBrokerOptions running = new RunningBrokerOptions();
  @Mixin private RecordingOptions recording = new RecordingOptions();

  private final List<Plan> plans = new ArrayList<>();

  @Override
  protected void check() throws IOException {
    if (load.warmup == null) {
      load.warmup = Math.min(MAX_DEFAULT_WARMUP, load.messages / WARMUP_SHARE);
    }
    load.check();
    running.check();
    plans.add(Plans.of(load, BenchFiles.driver("broadcast")));
    if (compare) {
      plans.add(Plans.of(load, BenchFiles.driver("exclusive")));
    }
  }

  @Override
  void checkServers(ServerOptions options) {
    options.check(!running.isGiven(), true, ", or --service-url");
  }

  @Override
  protected int measure(Session session) throws Exception {
    Runs runs = new Runs(session, recording);
    try (LoadServer server = running.isGiven() ? running.broker() : session.startBroker(Map.of())) {
      runs.inTurn(plans, Collections.nCopies(plans.size(), server), 1);
    }
    return runs.report(load.line());
  }
}
