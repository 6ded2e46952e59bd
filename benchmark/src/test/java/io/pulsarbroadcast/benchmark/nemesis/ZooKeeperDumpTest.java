/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ZooKeeperDumpTest {
  private static final ZooKeeperDump DUMP =
      new ZooKeeperDump(
          """
          ephemeral nodes dump:
          Sessions with Ephemerals (2):
          0x10004038ff1000a:
          \t/ledgers/available/bookie-3:3181
          0x10004038ff1000b:
          \t/ledgers/available/readonly/bookie-2:3181
          """);

  @Test
  void shouldHaveWhatASessionHas() {
    assertThat(DUMP.hasEphemeral("/ledgers/available/bookie-3:3181")).isTrue();
  }

  @Test
  void shouldNotTakeTheEndOfAPathForIt() {
    assertThat(DUMP.hasEphemeral("/ledgers/available/bookie-2:3181")).isFalse();
    assertThat(DUMP.hasEphemeral("/ledgers/available/bookie-3")).isFalse();
  }
}
