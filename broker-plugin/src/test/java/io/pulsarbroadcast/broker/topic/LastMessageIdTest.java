/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.impl.EntryImpl;
import org.junit.jupiter.api.Test;

class LastMessageIdTest {

  /** I8, and its client would wait until its request times out. */
  @Test
  void shouldFailAndHoldNothingWhenTheLastEntryIsNoMessage() {
    // Metadata of more bytes than there are.
    ByteBuf data = Unpooled.buffer().writeInt(1_000).writeZero(2);
    EntryImpl entry = EntryImpl.create(1, 0, data);
    data.release();
    CompletableFuture<Integer> batchIndex = new CompletableFuture<>();
    LastMessageId.completing(batchIndex).readEntryComplete(entry, null);

    assertThat(batchIndex).isCompletedExceptionally();
    assertThat(data.refCnt()).isZero();
  }
}
