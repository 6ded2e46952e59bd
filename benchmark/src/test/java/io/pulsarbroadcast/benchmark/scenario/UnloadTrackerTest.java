/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnloadTrackerTest {
  private final UnloadTracker tracker = new UnloadTracker(2, 10);

  private void receive(boolean first) {
    tracker.received(0, 1, first, 0, 7, 1);
  }

  @Test
  void shouldAllowWhatHadNoReceipt() {
    receive(true);
    tracker.unloading();
    receive(false);

    assertThat(tracker.redeliveredWithoutReceipt()).isEqualTo(1);
    assertThat(tracker.firstBroken()).isNull();
  }

  @Test
  void shouldFindWhatHadAReceiptBeforeTheUnload() {
    receive(true);
    tracker.receipt(0, 1);
    tracker.unloading();
    receive(false);

    assertThat(tracker.redeliveredWithReceiptBefore()).isEqualTo(1);
    assertThat(tracker.redeliveredWithReceiptSince()).isZero();
    assertThat(tracker.firstBroken()).isEqualTo("message 1 at 7:1 to consumer 0");
  }

  @Test
  void shouldFindWhatGotItsReceiptDuringTheUnload() {
    receive(true);
    tracker.unloading();
    tracker.receipt(0, 1);
    receive(false);

    assertThat(tracker.redeliveredWithReceiptBefore()).isZero();
    assertThat(tracker.redeliveredWithReceiptSince()).isEqualTo(1);
  }
}
