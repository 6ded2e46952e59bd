/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.server.FloorLoadServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the machine allows, without a broker. The main thread calls it. */
@Command(
    name = "floor",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "What this machine allows: a bare server writes the same frames down the same connections"
            + " to the same consumers.")
final class FloorCommand extends BenchSubcommand {
  @Option(
      names = "--floor-acks",
      paramLabel = "WHICH",
      description =
          "none: the floor is sent no acknowledgements; dropped: it reads and drops them; both: one"
              + " after the other (default: ${DEFAULT-VALUE}).")
  private String floorAcks = "none";

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often it is measured (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  private int rounds = 3;

  FloorCommand() {
    super("floor", new LoadOptions());
  }

  @Override
  boolean needsBroker() {
    return false;
  }

  @Override
  void check() {
    FloorAcks.parse(floorAcks);
  }

  @Override
  int measure(BenchSession session) throws Exception {
    try (FloorLoadServer floor = session.startFloor()) {
      Rounds all = new Rounds(session, load());
      FloorAcks.parse(floorAcks).addTo(all, floor, load());
      all.run(rounds);
      return all.report();
    }
  }
}
