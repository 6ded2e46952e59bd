/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.rest.BroadcastApi;
import io.pulsarbroadcast.admin.rest.Move;
import io.pulsarbroadcast.admin.rest.Moved;
import io.pulsarbroadcast.admin.terminal.CommandException;
import io.pulsarbroadcast.admin.terminal.Format;
import java.io.PrintStream;
import java.time.Clock;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.naming.TopicName;

/** Moves the positions of one name. */
final class MoveCommand extends ChangeCommand<MoveCommand.Result> {
  private static final String TO = "--to";
  private static final String TO_POSITION_OF = "--to-position-of";
  private static final Pattern MESSAGE_ID = Pattern.compile("[0-9]+:[0-9]+");
  private static final String PLACES =
      "earliest, latest, a message id like 12:34, a time like 2026-11-25T10:00:00Z, and one ago"
          + " like -2h";

  private final Clock clock;

  MoveCommand() {
    this(Clock.systemUTC());
  }

  MoveCommand(Clock clock) {
    super(
        "move",
        "Move the position of a consumer, after a dry run and a question",
        "my-topic -s alerts -n car-4711 --to -2h");
    this.clock = clock;
  }

  @Override
  public List<ParameterDescriptor> parameters() {
    return List.of(
        Parameters.topic(),
        Parameters.subscription(),
        Parameters.name(true),
        Parameters.optional(PLACES, TO),
        Parameters.optional("Name of another consumer, whose position to take", TO_POSITION_OF),
        Parameters.dryRun(),
        Parameters.yes(),
        Parameters.json());
  }

  /** The JSON; what {@link Moved} has, of a topic. */
  record Result(
      String topic,
      String subscription,
      String name,
      boolean dryRun,
      int positions,
      String markDeletePosition,
      long lagEntries,
      long skippedEntries,
      long backlogEntries) {

    static Result of(TopicName topic, String subscription, String name, Moved moved) {
      return new Result(
          topic.toString(),
          subscription,
          name,
          moved.dryRun(),
          moved.positions(),
          moved.markDeletePosition(),
          moved.lagEntries(),
          moved.skippedEntries(),
          moved.backlogEntries());
    }
  }

  @Override
  Change<Result> change(Arguments arguments, PulsarAdmin admin, TopicName named)
      throws PulsarAdminException {
    String subscription = arguments.subscription();
    Move move = move(arguments);
    if (move.messageId() != null
        && !named.isPartitioned()
        && admin.topics().getPartitionedTopicMetadata(named.toString()).partitions > 0) {
      throw CommandException.wrongUse(
          "%s '%s' is a message of one partition: name that instead of %s, as in %s"
              .formatted(TO, move.messageId(), named, named.getPartition(0)));
    }
    BroadcastApi api = BroadcastApi.of(admin);
    return (topic, shown) ->
        Result.of(
            topic,
            subscription,
            move.name(),
            api.move(topic, subscription, move.withDryRun(shown == null)));
  }

  private Move move(Arguments arguments) throws CommandException {
    String name = arguments.required(Parameters.NAME);
    String to = arguments.text(TO);
    String positionOf = arguments.text(TO_POSITION_OF);
    if ((to == null) == (positionOf == null)) {
      throw CommandException.wrongUse(
          "Exactly one of %s and %s is needed; with %s are allowed %s"
              .formatted(TO, TO_POSITION_OF, TO, PLACES));
    }
    if (to == null) {
      return new Move(name, null, null, null, positionOf, false);
    }
    if (to.equals("earliest") || to.equals("latest")) {
      return new Move(name, to, null, null, null, false);
    }
    if (MESSAGE_ID.matcher(to).matches()) {
      return new Move(name, null, to, null, null, false);
    }
    return new Move(name, null, null, timeMillis(to), null, false);
  }

  private long timeMillis(String to) throws CommandException {
    if (to.startsWith("-")) {
      return clock
          .instant()
          .minusSeconds(Arguments.seconds(TO, to, to.substring(1)))
          .toEpochMilli();
    }
    try {
      return OffsetDateTime.parse(to).toInstant().toEpochMilli();
    } catch (DateTimeParseException | ArithmeticException e) {
      throw Arguments.notAllowed(TO, to, PLACES);
    }
  }

  @Override
  String question(List<Result> previews) {
    long positions = previews.stream().mapToLong(Result::positions).sum();
    return positions == 0 ? null : "Move " + Format.count(positions, "position", "positions") + "?";
  }

  @Override
  void print(Result moved, PrintStream out) {
    out.printf(
        "%s %s of %s to %s, %s behind; %s %s, and the backlog is %s%s%n",
        moved.dryRun() ? "Would move" : "Moved",
        Format.count(moved.positions(), "position", "positions"),
        Format.printable(moved.name()),
        moved.markDeletePosition(),
        Format.count(moved.lagEntries(), "entry", "entries"),
        Format.count(moved.skippedEntries(), "entry", "entries"),
        moved.dryRun() ? "would be skipped" : "skipped",
        Format.count(moved.backlogEntries()),
        moved.dryRun() ? " now" : "");
  }
}
