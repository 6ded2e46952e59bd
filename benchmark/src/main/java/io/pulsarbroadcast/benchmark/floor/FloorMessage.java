/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import io.netty.buffer.ByteBuf;

/**
 * A published message on its way to all connections. Any thread may call it.
 *
 * @param entryId its number
 * @param bytes checksum, metadata and payload; do not move the indices. It is as long in use as
 *     this message is
 */
record FloorMessage(long entryId, ByteBuf bytes) {
  FloorMessage retain() {
    bytes.retain();
    return this;
  }

  void release() {
    bytes.release();
  }
}
