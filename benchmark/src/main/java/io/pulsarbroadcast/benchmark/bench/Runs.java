/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.config.LocalServer;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.Run;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.report.RunFile;
import io.pulsarbroadcast.benchmark.report.RunTable;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Has plans run, and collects what comes out. Not thread-safe. */
final class Runs {
  private static final double MICROS_PER_MILLI = 1e3;
  private static final int MOST_RATIOS = 3;

  private final Session session;
  private final boolean records;
  private final Duration limit;
  private final Duration roundLimit;
  private final RunTable table = new RunTable();
  private boolean complete = true;
  private boolean anyEnded;
  private String firstError;

  /** Nothing yet, and no limits. */
  Runs(Session session, RecordingOptions recording) {
    this(session, recording, Duration.ofDays(1), Duration.ofDays(1));
  }

  /**
   * Nothing yet.
   *
   * @param limit of each run
   * @param roundLimit of a round of catching up
   */
  Runs(Session session, RecordingOptions recording, Duration limit, Duration roundLimit) {
    this.session = session;
    this.records = recording.jfr;
    this.limit = limit;
    this.roundLimit = roundLimit;
  }

  /**
   * Runs a plan at each of its rates, up to the first that is not sustained, each in so many
   * rounds, on one server. Returns whether all came to their end.
   */
  boolean run(List<Plan> rates, LoadServer server, int rounds)
      throws IOException, InterruptedException {
    for (Plan plan : rates) {
      List<RunResult> results = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        results.add(once(plan, server));
      }
      RunResult result = keep(results);
      if (plan.stepped() && !result.isSustained()) {
        session.print(
            "Saturated: %,.0f msg/s are not sustained (%,.0f published per second)",
            plan.messagesPerSecond(), result.publishedPerSecond());
        return true;
      }
      complete &= result.isComplete();
      if (!result.isComplete()) {
        return false;
      }
    }
    return true;
  }

  /** Starts the server of a plan. */
  interface Starter {
    LoadServer start(Plan plan) throws IOException, InterruptedException;
  }

  /** The same as the next on servers of their own. */
  void inTurn(List<Plan> plans, int rounds, Starter starter)
      throws IOException, InterruptedException {
    List<LoadServer> servers = new ArrayList<>();
    try {
      for (Plan plan : plans) {
        servers.add(starter.start(plan));
      }
      inTurn(plans, servers, rounds);
    } finally {
      for (LoadServer server : servers) {
        server.close();
      }
    }
  }

  /**
   * Runs several plans in turn, again and again, so that whatever else the machine does meets all
   * of them alike; then compares the first with each other.
   */
  void inTurn(List<Plan> plans, List<LoadServer> servers, int rounds)
      throws IOException, InterruptedException {
    List<List<RunResult>> results = new ArrayList<>();
    plans.forEach(plan -> results.add(new ArrayList<>()));
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < plans.size(); i++) {
        results.get(i).add(once(plans.get(i), servers.get(i)));
      }
    }
    List<RunResult> merged = new ArrayList<>();
    for (List<RunResult> series : results) {
      merged.add(keep(series));
      complete &= merged.get(merged.size() - 1).isComplete();
    }
    for (int i = 1; i < Math.min(plans.size(), MOST_RATIOS); i++) {
      for (int round = 0; round < rounds && rounds > 1; round++) {
        table.addRatio(
            Integer.toString(round + 1), results.get(0).get(round), results.get(i).get(round));
      }
      table.addRatio(RunTable.ALL_ROUNDS, merged.get(0), merged.get(i));
    }
  }

  /** A plan that is not tried after another that did not come to its end, and why. */
  void skip(Plan plan, String why) {
    table.addSkipped(plan, why);
  }

  private RunResult once(Plan plan, LoadServer server) throws IOException, InterruptedException {
    session
        .out()
        .printf(
            Locale.ROOT,
            "%s: %,d consumers, %,d bytes, %s msg/s, %,.0f s ...%n",
            plan.driver(),
            plan.consumers(),
            plan.messageBytes(),
            LoadOptions.plain(plan.messagesPerSecond()),
            plan.seconds());
    String topic = session.newTopic();
    RunListener listener = records ? session.recording(server, plan.driver()) : session.progress();
    RunResult result =
        new Run(plan, server, topic, listener).limit(limit).roundLimit(roundLimit).execute();
    if (plan.server() != LocalServer.floor) {
      session.brokerVersion(result.brokerVersion());
    }
    session.forget(server, topic);
    return result;
  }

  /** The rounds together, in the table and in a file. */
  private RunResult keep(List<RunResult> rounds) throws IOException {
    for (int i = 0; i < rounds.size() && rounds.size() > 1; i++) {
      table.add(Integer.toString(i + 1), rounds.get(i));
    }
    RunResult result = RunResult.merge(rounds);
    table.add(RunTable.ALL_ROUNDS, result);
    Plan plan = result.plan();
    anyEnded |= result.isTimed();
    if (result.endToEndMicros().getTotalCount() > 0) {
      String file =
          "%s-%d-%smsgs.json"
              .formatted(
                  plan.driver(), plan.consumers(), LoadOptions.plain(plan.messagesPerSecond()));
      RunFile.write(session.folder().resolve(Session.fileName(file)), result, Instant.now());
    }
    print(result);
    session.keep("result", table.all());
    session.save();
    return result;
  }

  private void print(RunResult result) {
    result.catchUp().forEach(round -> session.print("  %s", round.line()));
    if (result.stoppedBy() != null) {
      firstError = firstError == null ? result.stoppedBy() : firstError;
      session.print("%s: %s", result.plan().driver(), result.stoppedBy());
    }
    if (result.delivery().missing() > 0) {
      session
          .err()
          .printf(
              Locale.ROOT,
              "%s: %,d deliveries are missing; first error: %s%n",
              result.plan().driver(),
              result.delivery().missing(),
              result.firstError());
    }
    Map<String, Double> stages = result.stages();
    if (!stages.isEmpty()) {
      session.print(
          "%s",
          stages.entrySet().stream()
              .map(
                  stage ->
                      String.format(
                          Locale.ROOT,
                          "%s %.2f",
                          stage.getKey(),
                          stage.getValue() / MICROS_PER_MILLI))
              .collect(
                  Collectors.joining(
                      ", ", result.plan().driver() + ", means of stages in ms: ", "")));
    }
  }

  /**
   * Shows and writes everything; returns the exit code.
   *
   * @throws IOException when nothing came to its end
   */
  int report(String load) throws IOException {
    if (!anyEnded) {
      throw new IOException(firstError == null ? "Nothing was received" : firstError);
    }
    session.print("");
    session.print("%s", load);
    session.print("");
    session.print("%s", table.text());
    ResultTable all = table.all();
    session.keep("result", all);
    return session.finish(complete, true);
  }
}
