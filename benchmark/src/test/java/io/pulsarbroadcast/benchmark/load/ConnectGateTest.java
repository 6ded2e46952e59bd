/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectGateTest {
  private final ConnectGate gate = new ConnectGate();
  private final List<Integer> opened = new ArrayList<>();

  @Test
  void shouldOpenABoundedNumberAtATimeInOrder() {
    for (int i = 0; i < ConnectGate.MAX_OPENING + 2; i++) {
      int connection = i;
      gate.enter(() -> opened.add(connection));
    }
    assertThat(opened).hasSize(ConnectGate.MAX_OPENING);

    gate.leave();
    assertThat(opened).hasSize(ConnectGate.MAX_OPENING + 1).endsWith(ConnectGate.MAX_OPENING);
    gate.leave();
    assertThat(opened).endsWith(ConnectGate.MAX_OPENING + 1);
  }

  @Test
  void shouldOpenAtOnceAgainWhenOthersAreDone() {
    for (int i = 0; i < ConnectGate.MAX_OPENING; i++) {
      gate.enter(() -> opened.add(0));
    }
    gate.leave();

    gate.enter(() -> opened.add(1));

    assertThat(opened).endsWith(1);
  }

  @Test
  void shouldNotGoDeeperWithEachThatLeavesAtOnce() {
    int many = 100_000;
    for (int i = 0; i < ConnectGate.MAX_OPENING; i++) {
      gate.enter(() -> opened.add(0));
    }
    for (int i = 0; i < many; i++) {
      gate.enter(
          () -> {
            opened.add(1);
            gate.leave();
          });
    }

    gate.leave();

    assertThat(opened).hasSize(ConnectGate.MAX_OPENING + many);
  }
}
