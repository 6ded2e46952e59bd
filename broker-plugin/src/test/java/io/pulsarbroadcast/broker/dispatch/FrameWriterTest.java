/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static java.util.Comparator.reverseOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.pulsarbroadcast.broker.LogLines;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How frames become writes. */
class FrameWriterTest {

  private static final int SMALL = 100;
  private static final int LARGE = FrameWriter.COPY_LIMIT_BYTES + 1;

  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final FrameWriter writer = writer(payload -> payload);
  private final FanoutConsumer consumer =
      new FanoutConsumer(
          7,
          new CursorRegistry(new SkippedEntries(), 0).connect("a", 60, () -> 0, 0),
          -1,
          true,
          new TestOwner());
  private final List<BroadcastEntry> entries = new ArrayList<>();

  private FrameWriter writer(UnaryOperator<ByteBuf> payloadForPeer) {
    return new FrameWriter(channel.pipeline().firstContext(), payloadForPeer, -1, null);
  }

  private BroadcastEntry entry(long ordinal, int bytes) {
    ByteBuf data = Unpooled.directBuffer(bytes).writeZero(bytes);
    BroadcastEntry entry = new BroadcastEntry(ordinal, ordinal, 1, ordinal, 1, null, data);
    entries.add(entry);
    return entry;
  }

  private int write(BroadcastEntry entry) {
    return writer.write(consumer, entry, 0, null);
  }

  /** What was written and flushed, a buffer each. */
  private List<ByteBuf> writes() {
    List<ByteBuf> writes = new ArrayList<>();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      writes.add(Unpooled.copiedBuffer(out));
      out.release();
    }
    return writes;
  }

  /** The ordinals of the frames in a buffer. */
  private static List<Long> ordinals(ByteBuf frames) {
    List<Long> ordinals = new ArrayList<>();
    while (frames.isReadable()) {
      ByteBuf frame = frames.readSlice(frames.readInt());
      BaseCommand command = new BaseCommand();
      command.parseFrom(frame, frame.readInt());
      ordinals.add(command.getMessage().getMessageId().getEntryId());
    }
    return ordinals;
  }

  /** I8: whatever was written, flushed or not: nobody retains an entry. */
  @AfterEach
  void close() {
    writer.discard();
    channel.finishAndReleaseAll();
    for (BroadcastEntry entry : entries) {
      ByteBuf data = entry.data();
      entry.release();
      assertThat(data.refCnt()).isZero();
    }
  }

  @Test
  void shouldWriteSmallFramesTogether() {
    assertThat(write(entry(1, SMALL))).isEqualTo(SMALL);
    write(entry(2, FrameWriter.COPY_LIMIT_BYTES));
    assertThat(writes()).as("before a flush").isEmpty();
    writer.flush();

    List<ByteBuf> writes = writes();
    assertThat(writes).hasSize(1);
    assertThat(ordinals(writes.get(0))).containsExactly(1L, 2L);
    writer.flush();
    assertThat(writes()).isEmpty();
  }

  /** A system call takes so many pieces; what is shared is not copied per frame. */
  @Test
  void shouldShareALargePayloadAmongTheFramesOfAnEntry() {
    BroadcastEntry large = entry(1, LARGE);
    for (int i = 0; i < FrameBatch.MAX_FRAMES + 1; i++) {
      assertThat(write(large)).isEqualTo(LARGE);
    }
    assertThat(large.data().refCnt()).as("the entry's, and each batch's").isEqualTo(3);
    write(entry(2, LARGE));
    writer.flush();

    List<ByteBuf> writes = writes();
    assertThat(writes).hasSize(3);
    assertThat(ordinals(writes.get(0))).hasSize(FrameBatch.MAX_FRAMES).containsOnly(1L);
    assertThat(ordinals(writes.get(1))).containsExactly(1L);
    assertThat(ordinals(writes.get(2))).containsExactly(2L);
  }

  /** I2. */
  @Test
  void shouldKeepTheOrderOfSmallAndLargeFrames() {
    BroadcastEntry withPart = entry(4, SMALL);
    write(entry(1, SMALL));
    write(entry(2, LARGE));
    write(entry(3, SMALL));
    writer.write(consumer, withPart, 0, new long[] {5});
    write(withPart);
    write(entry(5, LARGE));
    writer.flush();

    List<Long> ordinals = new ArrayList<>();
    writes().forEach(frames -> ordinals.addAll(ordinals(frames)));
    assertThat(ordinals).containsExactly(1L, 2L, 3L, 4L, 4L, 5L);
  }

  /** I2: what is left of a batch, then all of it, for another consumer; both are small. */
  @Test
  void shouldKeepTheOrderOfFramesOfOneEntry() {
    BroadcastEntry batch = entry(1, SMALL);
    writer.write(consumer, batch, 0, new long[] {5});
    write(batch);
    writer.flush();

    assertThat(writes()).extracting(ByteBuf::readableBytes).isSortedAccordingTo(reverseOrder());
  }

  /** Frames of many consumers do not fit into one chunk. */
  @Test
  void shouldBeginAnotherChunkWhenOneIsFull() {
    BroadcastEntry entry = entry(1, 1_000);
    for (int i = 0; i < 100; i++) {
      write(entry);
    }
    writer.flush();

    List<Long> ordinals = new ArrayList<>();
    List<ByteBuf> writes = writes();
    writes.forEach(frames -> ordinals.addAll(ordinals(frames)));
    assertThat(ordinals).hasSize(100);
    assertThat(writes).hasSize(2);
  }

  /** I8: what is written and not flushed is bounded, though the socket still takes more. */
  @Test
  void shouldTakeABoundedAmountBeforeAFlush() {
    BroadcastEntry small = entry(1, 1_000);
    int frames = 0;
    while (writer.isWritable() && frames < 10_000) {
      write(small);
      frames++;
    }
    assertThat(frames).as("128 KiB that are copied").isEqualTo(132);
    writer.flush();
    writes();
    assertThat(writer.isWritable()).isTrue();

    BroadcastEntry large = entry(2, 10_000);
    frames = 0;
    while (writer.isWritable() && frames < 10_000) {
      write(large);
      frames++;
    }
    assertThat(frames).as("1 MiB that is shared").isEqualTo(105);
    writer.flush();
    assertThat(writer.isWritable()).isTrue();
  }

  /** I8: Netty counts what is readable of a buffer that waits, not how large it is. */
  @Test
  void shouldHoldLittleMoreForAFullSocketThanWaitsForIt() {
    UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    EmbeddedChannel full = full(memory);
    FrameWriter stuck =
        new FrameWriter(full.pipeline().firstContext(), payload -> payload, -1, null);
    BroadcastEntry entry = entry(1, SMALL);
    int flushes = 0;
    while (stuck.isWritable()) {
      stuck.write(consumer, entry, 0, null);
      stuck.flush();
      flushes++;
    }
    assertThat(flushes).as("a message at a time").isGreaterThan(100);
    assertThat(memory.metric().usedDirectMemory())
        .as("the high water mark is 64 KiB")
        .isLessThan(128 * 1024);

    full.close();
    assertThat(memory.metric().usedDirectMemory()).isZero();
  }

  /** I8: one flush may bring many chunks with little in each, between large messages. */
  @Test
  void shouldHoldLittleMoreForAFullSocketWhenSmallAndLargeFramesAlternate() {
    UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    EmbeddedChannel full = full(memory);
    FrameWriter stuck =
        new FrameWriter(full.pipeline().firstContext(), payload -> payload, -1, null);
    BroadcastEntry small = entry(1, SMALL);
    BroadcastEntry large = entry(2, LARGE);
    for (int i = 0; i < 1_000; i++) {
      stuck.write(consumer, small, 0, null);
    }
    for (int i = 0; i < 500; i++) {
      stuck.write(consumer, large, 0, null);
      stuck.write(consumer, small, 0, null);
    }
    stuck.flush();
    long written = full.unsafe().outboundBuffer().totalPendingWriteBytes();
    assertThat(memory.metric().usedDirectMemory()).as("headers included").isLessThan(4 * written);

    full.close();
    assertThat(memory.metric().usedDirectMemory()).isZero();
  }

  private static EmbeddedChannel full(UnpooledByteBufAllocator memory) {
    EmbeddedChannel full =
        new EmbeddedChannel(new ChannelInboundHandlerAdapter()) {
          @Override
          protected void doWrite(ChannelOutboundBuffer out) {
            // Nobody reads.
          }
        };
    full.config().setAllocator(memory);
    return full;
  }

  /** The high water mark is too low for a system call that is worth its cost. */
  @Test
  void shouldGoOnUntilAFlushThoughTheSocketIsFull() {
    write(entry(1, SMALL));
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    assertThat(writer.isWritable()).isTrue();
    writer.flush();
    assertThat(writer.isWritable()).isFalse();

    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
    write(entry(2, LARGE));
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    assertThat(writer.isWritable()).isTrue();
    writer.flush();
    assertThat(writer.isWritable()).isFalse();
  }

  @Test
  void shouldDropWhatWasNotHandedOver() {
    write(entry(1, SMALL));
    writer.discard();
    write(entry(2, LARGE));
    writer.discard();
    writer.flush();

    assertThat(writes()).isEmpty();
  }

  /** The header of the second frame fits into the buffer, its payload does not. */
  @Test
  void shouldSendNoPartOfAFrameForWhichMemoryEnded() {
    ScarceMemory memory = new ScarceMemory();
    channel.config().setAllocator(memory);
    write(entry(1, SMALL));
    memory.left = 0;
    BroadcastEntry fails = entry(2, SMALL);
    assertThatThrownBy(() -> write(fails)).isInstanceOf(ScarceMemory.Ended.class);
    memory.left = 2;
    List<String> lines =
        LogLines.of(FrameWriter.class, () -> writer.abandon(new ScarceMemory.Ended()));

    assertThat(channel.isOpen()).as("its clients reconnect").isFalse();
    assertThat(writer.isWritable()).isFalse();
    writer.flush();
    assertThat(writes()).isEmpty();
    assertThat(memory.held()).as("I8").isZero();
    assertThat(lines).singleElement().asString().startsWith("WARN").contains(channel.toString());
  }

  /** I8: {@link #close} looks whether the payload is retained. */
  @Test
  void shouldRetainNoPayloadForWhoseHeadersThereIsNoMemory() {
    ScarceMemory memory = new ScarceMemory();
    channel.config().setAllocator(memory);
    BroadcastEntry large = entry(1, LARGE);
    memory.left = 0;

    assertThatThrownBy(() -> write(large)).isInstanceOf(ScarceMemory.Ended.class);
  }

  /** A client of an older protocol does not know what the broker adds to an entry. */
  @Test
  void shouldSendWhatThePeerUnderstands() {
    ByteBuf data = Unpooled.copiedBuffer("broker metadata|message", StandardCharsets.UTF_8);
    BroadcastEntry entry = new BroadcastEntry(1, 1, 1, 1, 1, null, data);
    FrameWriter old = writer(payload -> payload.skipBytes(16));
    for (int time = 0; time < 2; time++) {
      assertThat(old.write(consumer, entry, 0, null)).isEqualTo(7);
      old.flush();
      byte[] frame = ByteBufUtil.getBytes(writes().get(0));
      assertThat(new String(frame, StandardCharsets.UTF_8))
          .endsWith("message")
          .doesNotContain("broker");
    }
    entry.release();
  }

  @Test
  void shouldSayWhetherTheConnectionIsThere() {
    assertThat(writer.isActive()).isTrue();
    channel.close();
    assertThat(writer.isActive()).isFalse();
  }

  @Test
  void shouldRunTasksOnTheThreadItIsConfinedTo() {
    List<Runnable> thread = new ArrayList<>();
    FrameWriter confined =
        new FrameWriter(channel.pipeline().firstContext(), payload -> payload, -1, thread::add);
    List<String> ran = new ArrayList<>();
    confined.execute(() -> ran.add("there"));
    assertThat(ran).isEmpty();
    thread.forEach(Runnable::run);
    assertThat(ran).containsExactly("there");

    writer.execute(() -> ran.add("at once"));
    assertThat(ran).as("called on the event loop").containsExactly("there", "at once");
  }
}
