/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.rest.BroadcastApi;
import io.pulsarbroadcast.admin.rest.Position;
import io.pulsarbroadcast.admin.rest.Positions;
import io.pulsarbroadcast.admin.rest.PositionsQuery;
import io.pulsarbroadcast.admin.terminal.CommandException;
import io.pulsarbroadcast.admin.terminal.Format;
import io.pulsarbroadcast.admin.terminal.Terminal;
import java.io.PrintStream;
import java.util.List;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;

/** Lists the positions of a subscription. */
final class PositionsCommand extends BroadcastCommand {
  private static final String ABSENT = "--absent";
  private static final String CONNECTED = "--connected";
  private static final String SORT = "--sort";
  private static final String PREFIX = "--name";
  private static final String OFFSET = "--offset";
  private static final String LIMIT = "--limit";
  private static final int DEFAULT_LIMIT = 100;

  PositionsCommand() {
    super(
        "positions",
        "List the positions of a subscription, those furthest behind first",
        "my-topic -s alerts --absent");
  }

  @Override
  public List<ParameterDescriptor> parameters() {
    return List.of(
        Parameters.topic(),
        Parameters.subscription(),
        Parameters.flag("Only those that wait for absent consumers", ABSENT),
        Parameters.flag("Only those of connected consumers", CONNECTED),
        Parameters.optional("lag (default) or age: the longest absent first", SORT),
        Parameters.optional("Only consumers whose name begins so", PREFIX),
        Parameters.optional("How many to leave out, by default 0", OFFSET),
        Parameters.optional("How many to list, 1 to 1000, by default 100", LIMIT),
        Parameters.json());
  }

  @Override
  void run(Arguments arguments, PulsarAdmin admin, Terminal terminal) throws PulsarAdminException {
    String subscription = arguments.subscription();
    PositionsQuery query = query(arguments);
    Outcomes<Void> topics = Outcomes.of(admin, arguments.topic());
    BroadcastApi api = BroadcastApi.of(admin);
    topics
        .each(
            (topic, none) -> {
              List<Position> byLag =
                  api.list(topic, subscription, PositionsQuery.furthestBehind(DEFAULT_LIMIT))
                      .positions();
              return api.list(topic, subscription, query).withFurthestBehind(byLag);
            })
        .finish(terminal.out(), arguments.json(), PositionsCommand::print);
  }

  private static PositionsQuery query(Arguments arguments) throws CommandException {
    boolean absent = arguments.flag(ABSENT);
    boolean connected = arguments.flag(CONNECTED);
    if (absent && connected) {
      throw CommandException.wrongUse(
          ABSENT + " and " + CONNECTED + " exclude each other; without both, all are listed");
    }
    String state = absent ? "absent" : connected ? "connected" : null;
    Long offset = arguments.number(OFFSET, 0, Integer.MAX_VALUE);
    Long limit = arguments.number(LIMIT, 1, PositionsQuery.MAX_LIMIT);
    return new PositionsQuery(
        state,
        null,
        arguments.text(PREFIX),
        arguments.oneOf(SORT, List.of("lag", "age"), "lag"),
        offset == null ? 0 : offset.intValue(),
        limit == null ? DEFAULT_LIMIT : limit.intValue());
  }

  private static void print(Positions positions, PrintStream out) {
    PositionsText.printSummary(positions, out);
    if (!positions.positions().isEmpty()) {
      out.println();
      PositionsText.printTable(positions.positions(), out);
    }
    int listed = positions.positions().size();
    int end = positions.offset() + listed;
    if (listed < positions.matching()) {
      out.println();
      out.printf(
          "%s of %s that match%s%n",
          Format.count(listed),
          Format.count(positions.matching()),
          end < positions.matching() && listed > 0 ? "; more with --offset " + end : "");
    }
  }
}
