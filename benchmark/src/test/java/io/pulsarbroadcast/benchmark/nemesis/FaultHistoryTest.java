/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultHistoryTest {
  private final List<String> recorded = new ArrayList<>();
  private final FaultHistory history =
      new FaultHistory(
          (step, number, kind, crash) ->
              recorded.add("%s %d %s%s".formatted(step, number, kind, crash ? ", crash" : "")));

  @Test
  void shouldNumberFaults() {
    int first = history.begun("unload", false);
    history.confirmed(first);
    history.healed(first);
    history.begun("kill-broker", true);

    assertThat(recorded)
        .containsExactly(
            "BEGUN 1 unload",
            "CONFIRMED 1 unload",
            "HEALED 1 unload",
            "BEGUN 2 kill-broker, crash");
  }

  /** What is lost with it is explained from there on. */
  @Test
  void shouldBeginWhatEndsByItselfWhenItIsNoticed() {
    history.noticedEnd();
    history.noticedEnd();
    int number = history.ended();
    history.confirmed(number);
    history.healed(number);
    int next = history.ended();

    assertThat(recorded)
        .containsExactly(
            "BEGUN 1 ended-by-itself, crash",
            "CONFIRMED 1 ended-by-itself, crash",
            "HEALED 1 ended-by-itself, crash",
            "BEGUN 2 ended-by-itself, crash");
    assertThat(next).isEqualTo(2);
  }

  @Test
  void shouldLeaveToACrashWhatEndsDuringIt() {
    history.begun("freeze-broker", true);
    history.noticedEnd();

    assertThat(recorded).containsExactly("BEGUN 1 freeze-broker, crash");
  }

  @Test
  void shouldNoticeWhatEndsDuringAnOrderlyMove() {
    int restart = history.begun("restart-broker", false);
    history.noticedEnd();
    int ended = history.ended();
    history.healed(ended);
    history.healed(restart);

    assertThat(recorded)
        .containsExactly(
            "BEGUN 1 restart-broker",
            "BEGUN 2 ended-by-itself, crash",
            "HEALED 2 ended-by-itself, crash",
            "HEALED 1 restart-broker");
  }

  /** It was started again with whatever the fault did. */
  @Test
  void shouldEndWhatHasEndedByItselfWithTheFaultAfterWhichAllIsReady() {
    history.noticedEnd();
    int crash = history.begun("kill-all", true);
    history.healed(crash);
    history.noticedEnd();

    assertThat(recorded)
        .containsExactly(
            "BEGUN 1 ended-by-itself, crash",
            "BEGUN 2 kill-all, crash",
            "CONFIRMED 1 ended-by-itself, crash",
            "HEALED 1 ended-by-itself, crash",
            "HEALED 2 kill-all, crash",
            "BEGUN 3 ended-by-itself, crash");
  }
}
