/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.history.Faults;
import io.pulsarbroadcast.benchmark.history.HistoryVerdict;
import io.pulsarbroadcast.benchmark.history.Invariant;
import io.pulsarbroadcast.benchmark.history.Violation;
import io.pulsarbroadcast.benchmark.nemesis.Nemesis.Made;
import io.pulsarbroadcast.benchmark.nemesis.Nemesis.StarvedException;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run amounts to. One thread may call it. */
final class NemesisReport {
  private final Session session;
  private final long seed;
  private List<Made> made = List.of();
  private List<String> crashed = List.of();

  /** Null if everybody received again. */
  private String starved;

  /** Null if neither the cluster nor this machine failed. */
  private String failure;

  NemesisReport(Session session, long seed) {
    this.session = session;
    this.seed = seed;
  }

  void made(List<Made> faults) {
    this.made = faults;
  }

  /** The brokers that ended although they had their session, one for each time. */
  void crashed(List<String> brokers) {
    this.crashed = brokers;
  }

  /** What ended it before its time. */
  void ended(Exception why) {
    if (why instanceof StarvedException) {
      starved = why.getMessage();
    } else {
      failure = why.toString();
    }
  }

  /** Checks all histories, shows everything, and returns the exit code. */
  int finish(List<RecordedTopic> topics) throws IOException {
    Map<RecordedTopic, HistoryVerdict> verdicts = new LinkedHashMap<>();
    for (RecordedTopic topic : topics) {
      verdicts.put(topic, topic.verdict());
    }
    long published =
        verdicts.values().stream().mapToLong(verdict -> verdict.summary().published()).sum();
    session.write("faults", faults(verdicts));
    session.print("");
    session.print(
        "seed %d: %d faults of %d topics, %,d messages, %,d deliveries, %,d receipts",
        seed,
        made.size(),
        topics.size(),
        published,
        verdicts.values().stream().mapToLong(verdict -> verdict.summary().deliveries()).sum(),
        verdicts.values().stream().mapToLong(verdict -> verdict.summary().receipts()).sum());
    session.print("");
    session.show("kinds", kinds());
    session.figure("seed", seed);
    session.figure("faults", made.size());
    session.figure("published", published);
    session.checkInvariants(invariant -> violations(verdicts, invariant));
    boolean undamaged =
        session.checkUndamaged(topics.stream().map(RecordedTopic::received).toList());
    session.check(
        "all consumers receive again after each fault",
        starved == null,
        "%s",
        starved == null ? made.size() + " faults" : starved);
    session.check(
        "brokers end only when their session is lost",
        crashed.isEmpty(),
        "%s",
        crashed.isEmpty() ? "none ended otherwise" : String.join(", ", crashed));
    session.check(
        "the run came to its end", failure == null, "%s", failure == null ? "it did" : failure);
    List<String> uncounted =
        topics.stream().filter(topic -> !topic.countsSkips()).map(RecordedTopic::name).toList();
    session.check(
        "brokers say how many entries they skipped, so that I6 says something",
        uncounted.isEmpty(),
        "%s",
        uncounted.isEmpty() ? "of each topic" : "not of " + String.join(", ", uncounted));
    int code = session.finish(true, true);
    boolean broken = !undamaged || verdicts.values().stream().anyMatch(HistoryVerdict::isBroken);
    boolean valid =
        failure == null && uncounted.isEmpty() && violations(verdicts, Invariant.VALID).isEmpty();
    if (!broken && !valid && starved == null && crashed.isEmpty()) {
      session.say("INVALID: it proves nothing");
      return Program.EXIT_FAILED;
    }
    return code;
  }

  /** With the file that each is in. */
  private static List<String> violations(
      Map<RecordedTopic, HistoryVerdict> verdicts, Invariant invariant) {
    List<String> found = new ArrayList<>();
    verdicts.forEach(
        (topic, verdict) -> {
          for (Violation violation : verdict.of(invariant)) {
            found.add(topic.file().getFileName() + ": " + violation);
          }
        });
    return found;
  }

  private ResultTable faults(Map<RecordedTopic, HistoryVerdict> verdicts) {
    ResultTable table =
        new ResultTable(
            "fault",
            "kind",
            "what",
            "began, s",
            "seen, s",
            "undone, s",
            "recovered, s",
            "came again",
            "oldest, ms",
            "could have");
    for (Made one : made) {
      List<Faults.Report> reports =
          verdicts.values().stream()
              .flatMap(verdict -> verdict.summary().faults().stream())
              .filter(report -> report.number() == one.number())
              .toList();
      table.row(
          one.number(),
          one.kind(),
          one.what(),
          one.beganSeconds(),
          one.confirmedAfterSeconds(),
          one.healedAfterSeconds(),
          one.recoveredAfterSeconds(),
          reports.stream().mapToLong(Faults.Report::cameAgain).sum(),
          reports.stream().mapToLong(Faults.Report::oldestMillis).max().orElse(0),
          reports.stream().mapToLong(Faults.Report::couldComeAgain).sum());
    }
    return table;
  }

  private ResultTable kinds() {
    ResultTable table =
        new ResultTable("kind", "faults", "all receive again after, s: median", "longest");
    for (String kind : made.stream().map(Made::kind).sorted().distinct().toList()) {
      List<Made> all = made.stream().filter(one -> one.kind().equals(kind)).toList();
      double[] seconds =
          all.stream()
              .mapToDouble(Made::recoveredAfterSeconds)
              .filter(Double::isFinite)
              .sorted()
              .toArray();
      table.row(
          kind,
          all.size(),
          seconds.length == 0 ? Double.NaN : seconds[seconds.length / 2],
          seconds.length == 0 ? Double.NaN : seconds[seconds.length - 1]);
    }
    return table;
  }
}
