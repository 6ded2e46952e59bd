/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import io.netty.buffer.ByteBuf;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;

/**
 * A published message on its way to all connections. Immutable; the reference count may be changed
 * from any thread.
 */
final class FloorMessage extends AbstractReferenceCounted {
  private final long entryId;
  private final ByteBuf bytes;

  /** Takes over the one reference to {@code bytes}: checksum, metadata and payload. */
  FloorMessage(long entryId, ByteBuf bytes) {
    this.entryId = entryId;
    this.bytes = bytes;
  }

  long entryId() {
    return entryId;
  }

  /** Do not move its indices. */
  ByteBuf bytes() {
    return bytes;
  }

  @Override
  public FloorMessage retain() {
    super.retain();
    return this;
  }

  @Override
  public ReferenceCounted touch(Object hint) {
    return this;
  }

  @Override
  protected void deallocate() {
    bytes.release();
  }
}
