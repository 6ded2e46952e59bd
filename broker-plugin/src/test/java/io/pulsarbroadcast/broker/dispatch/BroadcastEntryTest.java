/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.metrics.EntryTrace;
import io.pulsarbroadcast.broker.metrics.MetricLabels;
import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.junit.jupiter.api.Test;

/** Who an entry is for, how long it is kept, and what is timed of its way. */
class BroadcastEntryTest {

  private final BroadcastMetrics metrics =
      new BroadcastMetrics(new MetricLabels("test", true, true, false), () -> 0);
  private final SubscriptionMetrics subscription =
      metrics.subscription("public/default", "persistent://public/default/topic", "all");

  @Test
  void shouldBeForThoseWhoseNextOrdinalItStandsFor() {
    BroadcastEntry entry = BroadcastEntry.skipping(5, 7);

    assertThat(entry.isNextFor(4)).isFalse();
    assertThat(entry.isNextFor(5)).isTrue();
    assertThat(entry.isNextFor(7)).isTrue();
    assertThat(entry.isNextFor(8)).isFalse();
    assertThat(entry.isDelivered()).isFalse();
    assertThat(entry.sizeBytes()).isZero();
    assertThat(entry.release()).isTrue();
  }

  /** I8. */
  @Test
  void shouldReleaseWhatItHoldsWithTheLastWhoRetainsIt() {
    ByteBuf data = Unpooled.directBuffer(16).writeZero(10);
    MessageMetadata metadata = new MessageMetadata();
    BroadcastEntry entry = new BroadcastEntry(3, 3, 1, 3, 2, metadata, data);

    assertThat(entry.isDelivered()).isTrue();
    assertThat(entry.metadata()).isSameAs(metadata);
    assertThat(entry.sizeBytes()).isEqualTo(10);
    assertThat(entry.retain().touch("anything")).isSameAs(entry);
    assertThat(entry.release()).isFalse();
    assertThat(data.refCnt()).isEqualTo(1);
    assertThat(entry.release()).isTrue();
    assertThat(data.refCnt()).isZero();
  }

  @Test
  void shouldTimeItsWay() {
    BroadcastEntry entry =
        new BroadcastEntry(
            3, 3, 1, 3, 1, null, Unpooled.buffer(1), EntryTrace.read(subscription, null));

    entry.handedOver();
    assertThat(timed("prepare")).isTrue();
    assertThat(timed("first_write")).isFalse();
    entry.written();
    assertThat(timed("first_write")).isTrue();
    assertThat(timed("last_write")).isFalse();
    entry.release();
    assertThat(timed("last_write")).isTrue();
  }

  private boolean timed(String stage) {
    return metrics
        .scrape()
        .lines()
        .filter(line -> line.startsWith("pulsar_broadcast_stage_seconds_count{"))
        .filter(line -> line.contains("stage=\"" + stage + "\""))
        .anyMatch(line -> line.endsWith(" 1.0") || line.endsWith(" 1"));
  }
}
