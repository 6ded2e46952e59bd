/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SoughtPositionsTest {

  private long nowNanos;
  private final SoughtPositions sought = new SoughtPositions(() -> nowNanos);

  @Test
  void shouldGiveEachConsumerOnceWhereItSoughtLast() {
    sought.keep(1, new EntryId(7, 0));
    sought.keep(2, new EntryId(7, 5));
    sought.keep(1, new EntryId(7, 9));

    assertThat(sought.take(1)).isEqualTo(new EntryId(7, 9));
    assertThat(sought.take(1)).isNull();
    assertThat(sought.take(2)).isEqualTo(new EntryId(7, 5));
  }

  /** I8: clients close consumers that have sought and are not connected, without saying so. */
  @Test
  void shouldForgetWhoeverDoesNotComeBack() {
    for (int id = 0; id < 1_000; id++) {
      sought.keep(id, new EntryId(7, id));
    }
    nowNanos += TimeUnit.SECONDS.toNanos(50);
    sought.keep(0, new EntryId(7, 20));
    assertThat(sought.count()).isEqualTo(1_000);

    nowNanos += TimeUnit.SECONDS.toNanos(50);
    assertThat(sought.take(1)).isNull();
    assertThat(sought.count()).isEqualTo(1);
    assertThat(sought.take(0)).isEqualTo(new EntryId(7, 20));
  }
}
