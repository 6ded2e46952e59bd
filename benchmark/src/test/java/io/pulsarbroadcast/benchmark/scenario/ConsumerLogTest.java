/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.load.DeliveryListener.Received;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class ConsumerLogTest {
  @Test
  void shouldFindMissingAndDisorderedMessages() {
    ConsumerLog log = new ConsumerLog(2, true);
    log.received(0, new Received(2, true, 7, 2, 0));
    log.disordered(0);
    log.received(0, new Received(1, true, 7, 1, 0));
    log.received(1, new Received(1, true, 7, 1, 0));
    BitSet expected = new BitSet();
    expected.set(1, 3);

    assertThat(log.outOfOrder()).isEqualTo(1);
    assertThat(log.missing(expected)).isEqualTo(1);
    assertThat(log.missing(1, expected)).isEqualTo(1);
    assertThat(log.lowest()).isEqualTo(1);
    assertThat(log.checks("everybody", expected)).noneMatch(Check::holds);
  }
}
