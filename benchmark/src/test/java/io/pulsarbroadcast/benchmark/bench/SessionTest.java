/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionTest {
  @TempDir Path results;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private Session session() throws IOException {
    ServerOptions servers = new ServerOptions();
    servers.output = results;
    return new Session(new Recorded(), "kills", Map.of(), servers);
  }

  private final class Recorded implements Console {
    private final PrintStream stream = new PrintStream(printed, true, StandardCharsets.UTF_8);

    @Override
    public PrintStream out() {
      return stream;
    }

    @Override
    public PrintStream err() {
      return stream;
    }

    @Override
    public boolean isTerminal() {
      return false;
    }

    @Override
    public String commandLine() {
      return "./bench kills";
    }
  }

  private static JsonNode json(Session session) throws IOException {
    return new ObjectMapper().readTree(session.folder().resolve("result.json").toFile());
  }

  @Test
  void shouldEndWellWhenNothingIsMissingAndEveryCheckHolds() throws IOException {
    Session session = session();
    session.check(Check.counted("nothing is lost", true, "0 lost"));
    session.check(Check.timed("back within a second", true, "0.2 s"));

    assertThat(session.finish(true, true)).isEqualTo(Program.EXIT_COMPLETE);
  }

  @Test
  void shouldEndWithOneWhenSomethingIsMissing() throws IOException {
    assertThat(session().finish(false, true)).isEqualTo(Program.EXIT_MISSING);
  }

  @Test
  void shouldEndWithOneWhenACheckIsBrokenAndSayWhich() throws IOException {
    Session session = session();
    session.check(Check.counted("nothing is lost", false, "3 lost"));
    session.check(Check.counted("nothing is repeated", true, "0 repeated"));

    assertThat(session.finish(true, false)).isEqualTo(Program.EXIT_MISSING);
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("BROKEN  nothing is lost: 3 lost", "holds   nothing is repeated: 0 repeated");
    assertThat(json(session).path("checks").get(0).path("holds").asBoolean(true)).isFalse();
    assertThat(Files.readString(session.folder().resolve("report.html")))
        .contains("nothing is lost", "3 lost");
  }

  @Test
  void shouldLetTimesDecideOnlyWhereTheyCount() throws IOException {
    for (boolean timesCount : new boolean[] {true, false}) {
      Session session = session();
      session.check(Check.timed("back within a second", false, "2 s"));

      assertThat(session.finish(true, timesCount))
          .isEqualTo(timesCount ? Program.EXIT_MISSING : Program.EXIT_COMPLETE);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("BROKEN  back within a second: 2 s (does not count)");
  }

  @Test
  void shouldLeaveTheRowsSoFarToWhoeverStopsIt() throws IOException {
    Session session = session();
    ResultTable table = new ResultTable("run");
    for (int run = 1; run <= 2; run++) {
      table.row(run);
      session.keep("runs", table);
      session.save();

      assertThat(json(session).path("tables").path("runs")).hasSize(run);
      assertThat(Files.readAllLines(session.folder().resolve("runs.csv"))).hasSize(1 + run);
    }
  }

  @Test
  void shouldKeepTheResultsOfEachOfTwoThatBeginInTheSameSecond() throws IOException {
    assertThat(session().folder()).isNotEqualTo(session().folder());
  }
}
