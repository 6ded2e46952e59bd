/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.buffer.ByteBuf;

/** Protobuf's integers of variable length, for frames of which only one number changes. */
public final class Varint {
  private static final int BITS_PER_BYTE = 7;
  private static final int MORE_BYTES_FOLLOW = 0x80;

  private Varint() {}

  /** How many bytes a number takes that is not negative. */
  public static int bytes(int value) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(value | 1);
    return (bits + BITS_PER_BYTE - 1) / BITS_PER_BYTE;
  }

  /** Writes a number that is not negative. */
  public static void write(ByteBuf out, int value) {
    int rest = value;
    while (rest >= MORE_BYTES_FOLLOW) {
      out.writeByte(rest | MORE_BYTES_FOLLOW);
      rest >>>= BITS_PER_BYTE;
    }
    out.writeByte(rest);
  }
}
