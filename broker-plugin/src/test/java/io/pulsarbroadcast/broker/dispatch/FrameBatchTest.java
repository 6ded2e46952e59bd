/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many frames in one buffer are the bytes that they would be one after the other. */
@Timeout(120)
class FrameBatchTest {
  private static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;
  private static final int MAX_HEADER_BYTES = 16;

  private final ByteArrayOutputStream expected = new ByteArrayOutputStream();

  /** I8: of headers and the copy of the payload, either may be what memory ends at. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldHoldNothingWhenThereIsNoMemoryForIt(int left) {
    ScarceMemory memory = new ScarceMemory();
    memory.left = left;
    ByteBuf payload = Unpooled.copiedBuffer("payload", StandardCharsets.UTF_8);

    assertThatThrownBy(() -> new FrameBatch(memory, payload, MAX_HEADER_BYTES))
        .isInstanceOf(ScarceMemory.Ended.class);
    assertThat(memory.held()).isZero();
    assertThat(payload.refCnt()).isEqualTo(1);
    payload.release();
  }

  @Test
  void shouldShowEveryPartOfItself() {
    ByteBuf payload = direct("payload", 3);
    FrameBatch batch = batch(payload, 5);

    byte[] whole = expected.toByteArray();
    assertThat(batch.readableBytes()).isEqualTo(whole.length);
    assertThat(ByteBufUtil.getBytes(batch)).isEqualTo(whole);
    assertThatThrownBy(() -> batch.nioBuffers(1, whole.length))
        .isInstanceOf(IndexOutOfBoundsException.class);
    for (int from = 0; from <= whole.length; from++) {
      for (int to = from; to <= whole.length; to++) {
        String part = new String(whole, from, to - from, StandardCharsets.ISO_8859_1);
        assertThat(join(batch.nioBuffers(from, to - from))).isEqualTo(part);
        assertThat(batch.nioBuffers(from, to - from)).allMatch(ByteBuffer::hasRemaining);
        assertThat(batch.toString(from, to - from, StandardCharsets.ISO_8859_1)).isEqualTo(part);
      }
    }
    batch.release();
    assertThat(payload.release()).as("nobody else holds the payload").isTrue();
  }

  /** TLS takes some pieces, and then asks for what is left in another way. */
  @Test
  void shouldShowAllOfItselfAfterItsPiecesWereTaken() {
    ByteBuf payload = direct("payload", 3);
    FrameBatch batch = batch(payload, 5);
    byte[] whole = expected.toByteArray();

    take(batch.nioBuffers());
    assertThat(ByteBufUtil.getBytes(batch)).isEqualTo(whole);
    take(batch.nioBuffers());
    assertThat(join(batch.nioBuffers())).isEqualTo(new String(whole, StandardCharsets.ISO_8859_1));
    batch.release();
    payload.release();
  }

  private static void take(ByteBuffer[] pieces) {
    for (ByteBuffer piece : pieces) {
      piece.position(piece.limit());
    }
  }

  /** A slow socket is offered the rest of a batch many times. */
  @Test
  void shouldMakeItsPiecesOnceHoweverOftenItIsOffered() {
    ByteBuf payload = direct("payload", 0);
    FrameBatch batch = batch(payload, 3);
    ByteBuffer[] whole = batch.nioBuffers();

    batch.skipBytes(1);
    ByteBuffer[] rest = batch.nioBuffers();

    assertThat(batch.nioBufferCount()).isEqualTo(whole.length);
    assertThat(rest).hasSameSizeAs(whole);
    for (int piece = 1; piece < whole.length; piece++) {
      assertThat(rest[piece]).isSameAs(whole[piece]);
    }
    batch.release();
    payload.release();
  }

  @Test
  void shouldTakeAPayloadThatIsNotOnePieceOfDirectMemory() {
    ByteBuf inPieces = Unpooled.wrappedBuffer(new byte[] {1, 2, 3}, new byte[] {4, 5});
    FrameBatch batch = batch(inPieces, 2);

    assertThat(ByteBufUtil.getBytes(batch)).isEqualTo(expected.toByteArray());
    for (ByteBuffer piece : batch.nioBuffers()) {
      assertThat(piece.isDirect()).isTrue();
    }
    batch.release();
    assertThat(inPieces.refCnt()).isEqualTo(1);
  }

  @Test
  void shouldSayWhenItIsFull() {
    ByteBuf payload = direct("p", 0);
    FrameBatch batch = batch(payload, FrameBatch.MAX_FRAMES - 1);

    assertThat(batch.takes(MAX_HEADER_BYTES)).isTrue();
    int room = batch.headers().writableBytes();
    assertThat(batch.takes(room)).as("a header that just fits").isTrue();
    assertThat(batch.takes(room + 1)).as("a header that does not fit").isFalse();
    addFrame(batch, "last", payload);
    assertThat(batch.takes(MAX_HEADER_BYTES)).isFalse();
    batch.release();
    payload.release();
  }

  @Test
  void shouldBeReadOnly() {
    ByteBuf payload = direct("p", 0);
    FrameBatch batch = batch(payload, 1);

    assertThatThrownBy(() -> batch.setByte(0, 1)).isInstanceOf(ReadOnlyBufferException.class);
    batch.release();
    payload.release();
  }

  /** The socket takes a part at a time, which ends anywhere in a frame. */
  @ParameterizedTest
  @ValueSource(strings = {"nio", "epoll"})
  void shouldArriveWholeThroughASocketThatTakesLittleAtATime(String transport) throws Exception {
    boolean epoll = transport.equals("epoll");
    Assumptions.assumeTrue(!epoll || Epoll.isAvailable(), "there is no epoll on this system");
    EventLoopGroup group = epoll ? new EpollEventLoopGroup(2) : new NioEventLoopGroup(2);
    try {
      ByteBuf payload = direct("x".repeat(9_973), 7);
      List<FrameBatch> batches = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        batches.add(batch(payload, FrameBatch.MAX_FRAMES - i));
      }
      Receiver receiver = new Receiver(expected.size());
      Channel server =
          new ServerBootstrap()
              .group(group)
              .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
              .childOption(ChannelOption.SO_RCVBUF, 128 * 1024)
              .childHandler(receiver)
              .bind(InetAddress.getLoopbackAddress(), 0)
              .sync()
              .channel();
      Channel client =
          new Bootstrap()
              .group(group)
              .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
              .option(ChannelOption.SO_SNDBUF, 128 * 1024)
              .handler(new ChannelInboundHandlerAdapter())
              .connect((InetSocketAddress) server.localAddress())
              .sync()
              .channel();

      for (FrameBatch batch : batches) {
        client.write(batch);
      }
      client.flush();

      assertThat(receiver.received.get(1, TimeUnit.MINUTES)).isEqualTo(expected.toByteArray());
      client.close().sync();
      server.close().sync();
      assertThat(payload.release()).as("nobody else holds the payload").isTrue();
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  private static final class Receiver extends ChannelInboundHandlerAdapter {
    private final ByteBuf bytes;
    private final int wanted;
    private final CompletableFuture<byte[]> received = new CompletableFuture<>();

    Receiver(int wanted) {
      this.wanted = wanted;
      this.bytes = Unpooled.buffer(wanted);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf in = (ByteBuf) message;
      bytes.writeBytes(in);
      in.release();
      if (bytes.readableBytes() >= wanted) {
        received.complete(ByteBufUtil.getBytes(bytes));
      }
    }
  }

  private FrameBatch batch(ByteBuf payload, int frames) {
    FrameBatch batch = new FrameBatch(ALLOCATOR, payload, MAX_HEADER_BYTES);
    for (int i = 0; i < frames; i++) {
      addFrame(batch, "header-" + i, payload);
    }
    return batch;
  }

  private void addFrame(FrameBatch batch, String header, ByteBuf payload) {
    byte[] bytes = header.getBytes(StandardCharsets.ISO_8859_1);
    batch.headers().writeBytes(bytes);
    batch.endFrame();
    expected.writeBytes(bytes);
    expected.writeBytes(ByteBufUtil.getBytes(payload));
  }

  /** A payload behind {@code skipped} bytes that are not part of it. */
  private static ByteBuf direct(String payload, int skipped) {
    ByteBuf whole = ALLOCATOR.directBuffer();
    whole.writeZero(skipped).writeBytes(payload.getBytes(StandardCharsets.ISO_8859_1));
    return whole.skipBytes(skipped);
  }

  private static String join(ByteBuffer[] pieces) {
    ByteBuf joined = Unpooled.wrappedBuffer(Math.max(1, pieces.length), pieces);
    return joined.toString(StandardCharsets.ISO_8859_1);
  }
}
