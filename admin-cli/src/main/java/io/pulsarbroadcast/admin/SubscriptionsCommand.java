/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.terminal.CommandException;
import io.pulsarbroadcast.admin.terminal.Format;
import io.pulsarbroadcast.admin.terminal.Json;
import io.pulsarbroadcast.admin.terminal.Table;
import io.pulsarbroadcast.admin.terminal.Terminal;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.naming.TopicDomain;
import org.apache.pulsar.common.policies.data.SubscriptionStats;

/** Lists the Broadcast subscriptions of a namespace, as the topics' statistics have them. */
final class SubscriptionsCommand extends BroadcastCommand {
  private static final String PROPERTY = "pulsar.broadcast.";

  SubscriptionsCommand() {
    super(
        "subscriptions",
        "List the Broadcast subscriptions of a namespace's topics",
        "city/traffic");
  }

  @Override
  public List<ParameterDescriptor> parameters() {
    return List.of(Parameters.main(Parameters.NAMESPACE, "tenant/namespace"), Parameters.json());
  }

  /** The JSON. */
  private record Listing(String namespace, List<Row> subscriptions) {}

  private record Row(
      String topic,
      String subscription,
      long connected,
      long absent,
      boolean positionsLost,
      long backlogEntries,
      long slowestLagEntries) {

    static Row of(String topic, String subscription, SubscriptionStats stats) {
      Map<String, String> properties = stats.getSubscriptionProperties();
      return new Row(
          topic,
          subscription,
          number(properties, "consumers"),
          number(properties, "positions.waiting"),
          number(properties, "positions.lost") > 0,
          stats.getMsgBacklog(),
          number(properties, "lag.slowest.entries"));
    }

    private static long number(Map<String, String> properties, String key) {
      return Long.parseLong(properties.getOrDefault(PROPERTY + key, "0"));
    }
  }

  @Override
  void run(Arguments arguments, PulsarAdmin admin, Terminal terminal) throws PulsarAdminException {
    NamespaceName namespace = arguments.namespace();
    List<Row> rows = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (String topic : admin.topics().getList(namespace.toString(), TopicDomain.persistent)) {
      try {
        rows.addAll(of(admin, topic));
      } catch (PulsarAdminException.NotFoundException e) {
        // Deleted since it was listed.
      } catch (PulsarAdminException e) {
        failures.add(topic + ": " + CommandException.of(e).summary());
      }
    }
    if (arguments.json()) {
      terminal.out().println(Json.of(new Listing(namespace.toString(), rows)));
    } else {
      print(rows, terminal.out());
    }
    if (!failures.isEmpty()) {
      throw new CommandException(
          "No statistics of %d topics".formatted(failures.size()), String.join("; ", failures));
    }
  }

  private static List<Row> of(PulsarAdmin admin, String topic) throws PulsarAdminException {
    return admin.topics().getStats(topic).getSubscriptions().entrySet().stream()
        .filter(entry -> "Broadcast".equals(entry.getValue().getType()))
        .map(entry -> Row.of(topic, entry.getKey(), entry.getValue()))
        .toList();
  }

  private static void print(List<Row> rows, PrintStream out) {
    Table table =
        new Table("TOPIC", "SUBSCRIPTION", ">CONNECTED", ">ABSENT", ">BACKLOG", ">SLOWEST LAG", "");
    for (Row row : rows) {
      table.row(
          row.topic(),
          row.subscription(),
          Format.count(row.connected()),
          Format.count(row.absent()),
          Format.count(row.backlogEntries()),
          Format.count(row.slowestLagEntries()),
          row.positionsLost() ? "positions lost" : "");
    }
    table.print(out);
  }
}
