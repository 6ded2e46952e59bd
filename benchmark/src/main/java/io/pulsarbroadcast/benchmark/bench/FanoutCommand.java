/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.server.BrokerLoadServer;
import io.pulsarbroadcast.benchmark.server.FloorLoadServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Every message to every consumer, and beside it the floor. The main thread calls it. */
@Command(
    name = "fanout",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Every message to every consumer of a Broadcast subscription; with --floor beside what the"
            + " machine allows, in the same run.")
final class FanoutCommand extends BenchSubcommand {
  @Option(
      names = "--floor",
      description =
          "Put the same load on a bare server, in turn with the broker, and show the ratios.")
  private boolean withFloor;

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
      description = "How often each one has its turn (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  private int rounds = 3;

  FanoutCommand() {
    super("fanout", new LoadOptions());
  }

  @Override
  void check() {
    FloorAcks.parse(floorAcks);
  }

  @Override
  int measure(BenchSession session) throws Exception {
    try (BrokerLoadServer broker = session.startBroker("Broadcast");
        FloorLoadServer floor = withFloor ? session.startFloor() : null) {
      Rounds all = new Rounds(session, load());
      all.add(broker.name(), broker, topic -> load().broadcast(broker.serviceUrl(), topic).build());
      if (floor != null) {
        FloorAcks.parse(floorAcks).addTo(all, floor, load());
      }
      all.run(rounds);
      return all.report();
    }
  }
}
