/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.rest.BroadcastApi;
import io.pulsarbroadcast.admin.rest.Drop;
import io.pulsarbroadcast.admin.rest.Dropped;
import io.pulsarbroadcast.admin.terminal.CommandException;
import io.pulsarbroadcast.admin.terminal.Format;
import java.io.PrintStream;
import java.util.List;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.naming.TopicName;

/** Drops positions of absent consumers. */
final class DropCommand extends ChangeCommand<DropCommand.Result> {
  private static final String PREFIX = "--name-prefix";
  private static final String ABSENT_LONGER = "--absent-longer-than";
  private static final String FURTHER_BEHIND = "--further-behind-than";
  private static final String ALL = "--all";

  DropCommand() {
    super(
        "drop",
        "Drop positions of absent consumers, after a dry run and a question",
        "my-topic -s alerts --absent-longer-than 7d");
  }

  @Override
  public List<ParameterDescriptor> parameters() {
    return List.of(
        Parameters.topic(),
        Parameters.subscription(),
        Parameters.name(false),
        Parameters.optional("Those of consumers whose name begins so", PREFIX),
        Parameters.optional("Those absent for longer, as in 90m and 7d", ABSENT_LONGER),
        Parameters.optional("Those with more unacknowledged entries", FURTHER_BEHIND),
        Parameters.flag("All that wait for absent consumers", ALL),
        Parameters.dryRun(),
        Parameters.yes(),
        Parameters.json());
  }

  /** The JSON; what {@link Dropped} has, of a topic. */
  record Result(
      String topic,
      String subscription,
      boolean dryRun,
      int positions,
      long entries,
      List<String> names,
      long backlogEntries) {

    static Result of(TopicName topic, String subscription, Dropped dropped) {
      return new Result(
          topic.toString(),
          subscription,
          dropped.dryRun(),
          dropped.positions(),
          dropped.entries(),
          dropped.names(),
          dropped.backlogEntries());
    }
  }

  @Override
  Change<Result> change(Arguments arguments, PulsarAdmin admin, TopicName named)
      throws PulsarAdminException {
    String subscription = arguments.subscription();
    Drop drop = drop(arguments);
    BroadcastApi api = BroadcastApi.of(admin);
    return (topic, shown) ->
        Result.of(
            topic,
            subscription,
            api.drop(
                topic, subscription, shown == null ? drop : drop.inEarnest(shown.positions())));
  }

  private static Drop drop(Arguments arguments) throws CommandException {
    String name = arguments.text(Parameters.NAME);
    String prefix = arguments.text(PREFIX);
    Long absentLonger = arguments.seconds(ABSENT_LONGER);
    Long furtherBehind = arguments.number(FURTHER_BEHIND, 0, Long.MAX_VALUE);
    boolean all = arguments.flag(ALL);
    boolean some = prefix != null || absentLonger != null || furtherBehind != null;
    int ways = (name == null ? 0 : 1) + (some ? 1 : 0) + (all ? 1 : 0);
    if (ways != 1) {
      throw CommandException.wrongUse(
          "Which positions to drop is %s; allowed is either %s, or %s, or one or more of %s, %s and %s"
              .formatted(
                  ways == 0 ? "missing" : "said in several ways",
                  Parameters.NAME,
                  ALL,
                  PREFIX,
                  ABSENT_LONGER,
                  FURTHER_BEHIND));
    }
    return new Drop(name, prefix, absentLonger, furtherBehind, all ? true : null, null, true);
  }

  @Override
  String question(List<Result> previews) {
    long positions = previews.stream().mapToLong(Result::positions).sum();
    return positions == 0 ? null : "Drop " + Format.count(positions, "position", "positions") + "?";
  }

  @Override
  void print(Result dropped, PrintStream out) {
    out.printf(
        "%s %s with %s not acknowledged; the backlog is %s%s%n",
        dropped.dryRun() ? "Would drop" : "Dropped",
        Format.count(dropped.positions(), "position", "positions"),
        Format.count(dropped.entries(), "entry", "entries"),
        Format.count(dropped.backlogEntries()),
        dropped.dryRun() ? " now" : "");
    dropped.names().forEach(name -> out.println("  " + Format.printable(name)));
    if (dropped.names().size() < dropped.positions()) {
      out.println("  and more");
    }
  }
}
