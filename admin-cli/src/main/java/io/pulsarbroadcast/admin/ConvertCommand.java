/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.rest.BroadcastApi;
import io.pulsarbroadcast.admin.rest.Drop;
import io.pulsarbroadcast.admin.rest.Dropped;
import io.pulsarbroadcast.admin.rest.Positions;
import io.pulsarbroadcast.admin.rest.PositionsQuery;
import io.pulsarbroadcast.admin.terminal.CommandException;
import io.pulsarbroadcast.admin.terminal.Format;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.naming.TopicName;

/**
 * Forgets all positions of a subscription without consumers, and the administrator's wish for the
 * type: the next plain subscribe then makes it plain.
 */
final class ConvertCommand extends ChangeCommand<ConvertCommand.Result> {
  private static final String TYPE_PROPERTY = "pulsar.subscription.type";

  ConvertCommand() {
    super(
        "convert",
        "Forget all positions, so that the next plain subscribe makes the subscription plain",
        "my-topic -s alerts");
  }

  @Override
  public List<ParameterDescriptor> parameters() {
    return List.of(
        Parameters.topic(),
        Parameters.subscription(),
        Parameters.dryRun(),
        Parameters.yes(),
        Parameters.json());
  }

  /**
   * The JSON.
   *
   * @param typePropertyRemoved whether an administrator had set the type
   */
  record Result(
      String topic,
      String subscription,
      boolean dryRun,
      int positions,
      long entries,
      boolean typePropertyRemoved) {}

  @Override
  boolean allOrNothing() {
    return true;
  }

  @Override
  Change<Result> change(Arguments arguments, PulsarAdmin admin, TopicName named)
      throws PulsarAdminException {
    String subscription = arguments.subscription();
    BroadcastApi api = BroadcastApi.of(admin);
    return (topic, shown) -> convert(api, admin, topic, subscription, shown);
  }

  private static Result convert(
      BroadcastApi api, PulsarAdmin admin, TopicName topic, String subscription, Result shown)
      throws PulsarAdminException {
    refuseInUse(api.list(topic, subscription, PositionsQuery.furthestBehind(1)));
    Map<String, String> properties =
        new HashMap<>(admin.topics().getSubscriptionProperties(topic.toString(), subscription));
    boolean declared = properties.remove(TYPE_PROPERTY) != null;
    Drop drop = Drop.everything();
    Dropped dropped =
        api.drop(topic, subscription, shown == null ? drop : drop.inEarnest(shown.positions()));
    if (declared && shown != null) {
      undeclare(admin, topic, subscription, properties, dropped.positions());
    }
    return new Result(
        topic.toString(),
        subscription,
        shown == null,
        dropped.positions(),
        dropped.entries(),
        declared);
  }

  private static void undeclare(
      PulsarAdmin admin,
      TopicName topic,
      String subscription,
      Map<String, String> properties,
      int forgotten)
      throws PulsarAdminException {
    try {
      admin.topics().updateSubscriptionProperties(topic.toString(), subscription, properties);
    } catch (PulsarAdminException e) {
      throw new CommandException(
          "%s forgotten, but the property %s is still there: run the command again"
              .formatted(Format.count(forgotten, "position", "positions"), TYPE_PROPERTY),
          CommandException.of(e).summary(),
          e);
    }
  }

  private static void refuseInUse(Positions positions) throws CommandException {
    String failure =
        "Subscription %s of %s is not converted"
            .formatted(positions.subscription(), positions.topic());
    if (positions.connected() > 0) {
      throw new CommandException(
          failure,
          "It has %s connected: close them first"
              .formatted(Format.count(positions.connected(), "consumer", "consumers")));
    }
    if (positions.positionsLost()) {
      throw new CommandException(
          failure, "It has lost positions: run topics clear-backlog or reset-cursor first");
    }
  }

  @Override
  String question(List<Result> previews) {
    long positions = previews.stream().mapToLong(Result::positions).sum();
    boolean declared = previews.stream().anyMatch(Result::typePropertyRemoved);
    return positions == 0 && !declared
        ? null
        : "Forget " + Format.count(positions, "position", "positions") + "?";
  }

  @Override
  void print(Result converted, PrintStream out) {
    out.printf(
        "%s %s with %s not acknowledged%s%n",
        converted.dryRun() ? "Would forget" : "Forgot",
        Format.count(converted.positions(), "position", "positions"),
        Format.count(converted.entries(), "entry", "entries"),
        converted.typePropertyRemoved() ? ", and the property " + TYPE_PROPERTY : "");
    out.println("The next plain subscribe makes the subscription plain");
  }
}
