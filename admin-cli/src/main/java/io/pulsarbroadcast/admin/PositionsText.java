/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.rest.Position;
import io.pulsarbroadcast.admin.rest.Positions;
import io.pulsarbroadcast.admin.terminal.Format;
import io.pulsarbroadcast.admin.terminal.Table;
import java.io.PrintStream;
import java.util.List;

/** Positions as people read them. */
final class PositionsText {

  private PositionsText() {}

  /** The state of the subscription. */
  static void printSummary(Positions positions, PrintStream out) {
    out.printf(
        "Subscription %s of %s: backlog %s (%s), %s connected, %s absent%n",
        Format.printable(positions.subscription()),
        Format.printable(positions.topic()),
        Format.count(positions.backlogEntries(), "entry", "entries"),
        Format.bytes(positions.backlogBytes()),
        Format.count(positions.connected()),
        Format.count(positions.absent()));
    if (positions.positionsLost()) {
      out.println(
          "Positions were lost, and hold the backlog until topics clear-backlog or reset-cursor");
    }
    Position furthest = positions.furthestBehind();
    if (furthest != null && furthest.lagEntries() > 0) {
      out.printf(
          "Furthest behind: %s, %s, by %s%n",
          Format.printable(furthest.name()),
          furthest.absentSeconds() == null
              ? furthest.state()
              : "absent for " + Format.duration(furthest.absentSeconds()),
          Format.count(furthest.lagEntries(), "entry", "entries"));
    }
  }

  static void printTable(List<Position> positions, PrintStream out) {
    Table table =
        new Table("NAME", "STATE", ">LAG", ">SIZE", ">ABSENT", ">EXPIRES IN", "MARK-DELETE");
    for (Position position : positions) {
      table.row(
          position.name(),
          position.consumers() > 1
              ? "%s (%d)".formatted(position.state(), position.consumers())
              : position.state(),
          Format.count(position.lagEntries()),
          Format.bytes(position.lagBytes()),
          Format.duration(position.absentSeconds()),
          Format.duration(position.expiresInSeconds()),
          position.markDeletePosition());
    }
    table.print(out);
  }

  static void printInDetail(Position position, PrintStream out) {
    line(out, "Name", position.name());
    line(out, "State", position.state());
    line(out, "Consumers", Format.count(position.consumers()));
    line(out, "Durable", position.durable() == null ? "-" : position.durable() ? "yes" : "no");
    line(out, "Mark-delete", position.markDeletePosition());
    line(out, "Lag", Format.count(position.lagEntries(), "entry", "entries"));
    line(out, "Size", Format.bytes(position.lagBytes()));
    line(out, "Absent", Format.duration(position.absentSeconds()));
    line(out, "Time to live", Format.duration(position.timeToLiveSeconds()));
    line(out, "Expires in", Format.duration(position.expiresInSeconds()));
    line(out, "Address", position.address() == null ? "-" : position.address());
  }

  private static void line(PrintStream out, String key, String value) {
    out.printf("%-14s%s%n", key + ":", Format.printable(value));
  }
}
