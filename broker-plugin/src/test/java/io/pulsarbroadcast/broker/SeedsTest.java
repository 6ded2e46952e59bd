/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which runs random tests make. */
class SeedsTest {
  private static final String NAME = "seeds-test";

  private static List<Long> seedsOf(int runs) {
    List<Long> seeds = new ArrayList<>();
    Seeds.forEach(NAME, runs, seeds::add);
    return seeds;
  }

  @AfterEach
  void forgetTheProperty() {
    System.clearProperty(NAME + ".seed");
  }

  @Test
  void shouldRepeatHalfOfTheRunsAndMakeTheOthersNew() {
    List<Long> once = seedsOf(5);
    List<Long> again = seedsOf(5);

    assertThat(once).hasSize(5).doesNotHaveDuplicates().startsWith(0L, 1L, 2L);
    assertThat(again).hasSize(5).doesNotHaveDuplicates().startsWith(0L, 1L, 2L);
    assertThat(again.subList(3, 5)).isNotEqualTo(once.subList(3, 5));
  }

  @Test
  void shouldNameTheSeedThatFailsAndRepeatItAlone() {
    assertThatThrownBy(() -> Seeds.forEach(NAME, 4, SeedsTest::failAtOne))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-D" + NAME + ".seed=1 ")
        .hasMessageContaining("broken");

    System.setProperty(NAME + ".seed", "1");
    assertThat(seedsOf(4)).containsExactly(1L);
  }

  private static void failAtOne(long seed) {
    assertThat(seed).as("broken").isNotEqualTo(1);
  }
}
