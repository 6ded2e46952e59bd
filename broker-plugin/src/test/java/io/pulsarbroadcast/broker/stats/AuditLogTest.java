/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.LogLines;
import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.junit.jupiter.api.Test;

class AuditLogTest {

  private final Timer timer = new Timer();
  private final AuditLog audit = new AuditLog("persistent://city/traffic/area-7", "alerts", timer);

  @Test
  void shouldSayWhoDidWhatToWhichPosition() {
    assertThat(
            lines(
                log -> {
                  log.taken("car-1", "10.0.0.7", "10.0.0.9", null);
                  log.taken("car-1", "10.0.0.9", "10.0.0.7", "fleet");
                  AuditLog.Dropped drop = log.drop("operator");
                  drop.accept("car-2", new Skipped(2, 12));
                  drop.accept("car-4", new Skipped(1, 0));
                  drop.write();
                  log.moved("car-3", "12:3", "14:-1", null);
                }))
        .containsExactly(
            "Consumer \"car-1\" at 10.0.0.9 took the position that one at 10.0.0.7 had left",
            "Consumer \"car-1\" at 10.0.0.7 by role \"fleet\" took the position that one at"
                + " 10.0.0.9 had left",
            "3 positions dropped by role \"operator\" with 12 unacknowledged entries in all, of"
                + " \"car-2\", \"car-4\"",
            "Position of \"car-3\" moved, from 12:3 to 14:-1");
  }

  @Test
  void shouldWriteOneLineOfWhatExpiresAtOneTimeWithAFewNames() {
    AuditLog.Dropped expiry = audit.expiry();
    assertThat(
            lines(
                log -> {
                  expiry.accept("car-1", new Skipped(1, 5));
                  expiry.write();
                  expiry.write();
                  for (int i = 0; i < 100_000; i++) {
                    expiry.accept("car-" + i, new Skipped(1, 2));
                  }
                  expiry.write();
                }))
        .containsExactly(
            "1 positions expired with 5 unacknowledged entries in all, of \"car-1\"",
            "100000 positions expired with 200000 unacknowledged entries in all, of \"car-0\","
                + " \"car-1\", \"car-2\", \"car-3\", \"car-4\", \"car-5\", \"car-6\", \"car-7\", \"car-8\","
                + " \"car-9\" and others");
  }

  @Test
  void shouldCountWhatIsLeftOutOfAMinute() {
    List<String> lines =
        lines(
            log -> {
              for (int i = 0; i < AuditLog.MAX_LINES + 30; i++) {
                log.taken("car-" + i, "10.0.0.7", "10.0.0.9", null);
              }
              log.moved("another kind", "1:1", "2:2", null);
              timer.runAll();
              log.taken("next minute", "10.0.0.7", "10.0.0.9", null);
              timer.runAll();
            });
    assertThat(lines).hasSize(AuditLog.MAX_LINES + 3);
    assertThat(lines.get(AuditLog.MAX_LINES)).contains("another kind");
    assertThat(lines.get(AuditLog.MAX_LINES + 1))
        .isEqualTo("30 further lines about positions taken left out; a minute has at most 100");
    assertThat(lines.get(AuditLog.MAX_LINES + 2)).contains("next minute");
  }

  /** A client chooses its name, which may be long. */
  @Test
  void shouldNotLetANameForgeALineOrPassForAnother() {
    String forged = "b\" moved, from 1:1 to 2:2\n[forged]" + "x".repeat(1_000);
    assertThat(lines(log -> log.moved(forged, "3:3", "4:4", null)))
        .containsExactly(
            "Position of \"b\\\" moved, from 1:1 to 2:2\\n[forged]"
                + "x".repeat(1_000)
                + "\" moved, from 3:3 to 4:4");
  }

  @Test
  void shouldBeSwitchedOffByTheLevelOfItsLogger() {
    Configurator.setLevel(AuditLog.LOGGER, Level.OFF);
    try {
      assertThat(lines(log -> log.moved("car-1", "1:1", "2:2", null))).isEmpty();
      assertThat(timer.due).isEmpty();
    } finally {
      Configurator.setLevel(AuditLog.LOGGER, Level.INFO);
    }
  }

  private List<String> lines(Consumer<AuditLog> task) {
    return LogLines.of(AuditLog.LOGGER, () -> task.accept(audit)).stream()
        .map(line -> line.replace("INFO [persistent://city/traffic/area-7][alerts] ", ""))
        .toList();
  }

  /** Runs what is scheduled when it is told to; starts no thread. */
  private static final class Timer extends ScheduledThreadPoolExecutor {
    private final List<Runnable> due = new ArrayList<>();

    Timer() {
      super(0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      due.add(task);
      return null;
    }

    void runAll() {
      List<Runnable> now = List.copyOf(due);
      due.clear();
      now.forEach(Runnable::run);
    }
  }
}
