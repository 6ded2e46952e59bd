/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultDeckTest {
  private static final List<FaultKind> ALL = List.of(FaultKind.values());

  private static List<FaultKind> draw(long seed, int count) {
    FaultDeck deck = new FaultDeck(ALL, new Random(seed));
    return Stream.generate(deck::next).limit(count).toList();
  }

  @Test
  void shouldGiveEachKindOnceBeforeOneComesAgain() {
    List<FaultKind> drawn = draw(7, 2 * ALL.size());
    assertThat(drawn.subList(0, ALL.size())).containsExactlyInAnyOrderElementsOf(ALL);
    assertThat(drawn.subList(ALL.size(), 2 * ALL.size())).containsExactlyInAnyOrderElementsOf(ALL);
  }

  @Test
  void shouldGiveTheSameForTheSameSeed() {
    assertThat(draw(7, 50)).isEqualTo(draw(7, 50)).isNotEqualTo(draw(8, 50));
  }
}
