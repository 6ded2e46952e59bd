/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class SourceAddressesTest {
  private static final InetSocketAddress LOOPBACK = new InetSocketAddress("127.0.0.1", 6650);

  @Test
  void shouldTakeAnotherLoopbackAddressWhenPortsRunOut() {
    assertThat(SourceAddresses.of(0, LOOPBACK)).isNull();
    assertThat(SourceAddresses.of(19_999, LOOPBACK)).isNull();
    assertThat(SourceAddresses.of(20_000, LOOPBACK))
        .isEqualTo(new InetSocketAddress("127.0.0.2", 0));
    assertThat(SourceAddresses.of(99_999, LOOPBACK))
        .isEqualTo(new InetSocketAddress("127.0.0.5", 0));
    assertThat(SourceAddresses.of(250 * 20_000, LOOPBACK))
        .isEqualTo(new InetSocketAddress("127.0.1.1", 0));
  }

  @Test
  void shouldLeaveTheSourceAloneWhenTheBrokerIsElsewhere() {
    assertThat(SourceAddresses.of(50_000, new InetSocketAddress("192.0.2.1", 6650))).isNull();
  }

  @Test
  void shouldSayHowManyConnectionsThisProcessMayOpen() {
    assertThatThrownBy(() -> SourceAddresses.checkOpenFiles(Integer.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("connections is 2147483647; allowed: up to ")
        .hasMessageContaining("ulimit -n");
  }
}
