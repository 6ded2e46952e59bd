/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.rest.BroadcastApi;
import io.pulsarbroadcast.admin.rest.Position;
import io.pulsarbroadcast.admin.rest.Positions;
import io.pulsarbroadcast.admin.rest.PositionsQuery;
import io.pulsarbroadcast.admin.terminal.CommandException;
import io.pulsarbroadcast.admin.terminal.Terminal;
import java.io.PrintStream;
import java.util.List;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;

/** Shows the positions of one name, of which namesakes have several. */
final class PositionCommand extends BroadcastCommand {

  PositionCommand() {
    super("position", "Show the position of a consumer", "my-topic -s alerts -n car-4711");
  }

  @Override
  public List<ParameterDescriptor> parameters() {
    return List.of(
        Parameters.topic(), Parameters.subscription(), Parameters.name(true), Parameters.json());
  }

  /** The JSON. */
  private record OfName(String topic, String subscription, String name, List<Position> positions) {}

  @Override
  void run(Arguments arguments, PulsarAdmin admin, Terminal terminal) throws PulsarAdminException {
    String subscription = arguments.subscription();
    String name = arguments.required(Parameters.NAME);
    Outcomes<Void> topics = Outcomes.of(admin, arguments.topic());
    BroadcastApi api = BroadcastApi.of(admin);
    topics
        .each(
            (topic, none) ->
                ofName(name, api.list(topic, subscription, PositionsQuery.ofName(name))))
        .finish(terminal.out(), arguments.json(), PositionCommand::print);
  }

  private static OfName ofName(String name, Positions found) throws CommandException {
    if (found.positions().isEmpty()) {
      throw new CommandException(
          "No such position",
          "Subscription %s of %s has no position of a consumer %s"
              .formatted(found.subscription(), found.topic(), name));
    }
    return new OfName(found.topic(), found.subscription(), name, found.positions());
  }

  private static void print(OfName found, PrintStream out) {
    String separator = "";
    for (Position position : found.positions()) {
      out.print(separator);
      PositionsText.printInDetail(position, out);
      separator = System.lineSeparator();
    }
  }
}
