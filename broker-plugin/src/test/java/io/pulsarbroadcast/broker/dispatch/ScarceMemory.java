/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.util.ArrayList;
import java.util.List;

/** An allocator whose direct memory ends when the test says so. */
final class ScarceMemory extends AbstractByteBufAllocator {

  /** How often a buffer can still be made, or made larger. */
  int left = Integer.MAX_VALUE;

  private final List<ByteBuf> made = new ArrayList<>();

  /** What it throws; JUnit ends its JVM at an OutOfMemoryError. */
  static final class Ended extends Error {
    private static final long serialVersionUID = 1;

    Ended() {
      super("No direct memory is left");
    }
  }

  ScarceMemory() {
    super(true);
  }

  private void take() {
    if (left == 0) {
      throw new Ended();
    }
    left--;
  }

  /** Buffers that somebody still holds. */
  long held() {
    return made.stream().filter(buffer -> buffer.refCnt() > 0).count();
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialBytes, int maxBytes) {
    take();
    ByteBuf buffer =
        new UnpooledDirectByteBuf(this, initialBytes, maxBytes) {
          @Override
          public ByteBuf capacity(int bytes) {
            if (bytes > capacity()) {
              take();
            }
            return super.capacity(bytes);
          }
        };
    made.add(buffer);
    return buffer;
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialBytes, int maxBytes) {
    return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialBytes, maxBytes);
  }

  @Override
  public boolean isDirectBufferPooled() {
    // So frames are written into direct memory on every JVM.
    return true;
  }
}
