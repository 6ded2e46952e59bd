/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Random;

/**
 * The layout of a message's payload. Immutable; any thread may call it.
 *
 * <pre>
 *   0  int   magic
 *   4  int   run: tells the messages of one run from those of another on the same topic
 *   8  long  sequence number, from 0
 *  16  long  intended send time, System.nanoTime() of the one process that sends and receives
 *  24  ...   random bytes, which do not compress
 *  -8  long  check: sequence number and run, mixed
 * </pre>
 */
public final class PayloadFormat {
  public static final int MIN_SIZE_BYTES = 32;
  public static final int MAX_SIZE_BYTES = 5 * 1024 * 1024 - 10 * 1024;

  private static final int MAGIC = 0x50424C47;
  private static final int RUN_OFFSET = 4;
  private static final int SEQUENCE_OFFSET = 8;
  private static final int TIME_OFFSET = 16;
  private static final int CHECK_BYTES = 8;
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private final int run;

  PayloadFormat(int run) {
    this.run = run;
  }

  /** A new payload; {@code random} fills it, so that no two are alike. */
  byte[] create(int sizeBytes, long sequence, long intendedNanos, Random random) {
    byte[] payload = new byte[sizeBytes];
    random.nextBytes(payload);
    ByteBuffer.wrap(payload)
        .putInt(0, MAGIC)
        .putInt(RUN_OFFSET, run)
        .putLong(SEQUENCE_OFFSET, sequence)
        .putLong(TIME_OFFSET, intendedNanos)
        .putLong(sizeBytes - CHECK_BYTES, check(run, sequence));
    return payload;
  }

  /** True when these bytes are a whole payload of any run. */
  static boolean isIntact(ByteBuf buffer, int index, int sizeBytes) {
    if (sizeBytes < MIN_SIZE_BYTES || buffer.getInt(index) != MAGIC) {
      return false;
    }
    long expected = check(buffer.getInt(index + RUN_OFFSET), sequence(buffer, index));
    return buffer.getLong(index + sizeBytes - CHECK_BYTES) == expected;
  }

  boolean isOfThisRun(ByteBuf buffer, int index) {
    return buffer.getInt(index + RUN_OFFSET) == run;
  }

  /** The message's number of a payload that begins at {@code index}. */
  static long sequence(ByteBuf buffer, int index) {
    return buffer.getLong(index + SEQUENCE_OFFSET);
  }

  /** When the message of a payload that begins at {@code index} was due. */
  static long intendedNanos(ByteBuf buffer, int index) {
    return buffer.getLong(index + TIME_OFFSET);
  }

  /** The sequence number of a payload that {@link Publisher} has sent. */
  public static long sequence(byte[] payload) {
    return ByteBuffer.wrap(payload).getLong(SEQUENCE_OFFSET);
  }

  /** When it was to be sent, of System.nanoTime(). */
  public static long intendedNanos(byte[] payload) {
    return ByteBuffer.wrap(payload).getLong(TIME_OFFSET);
  }

  private static long check(int run, long sequence) {
    return (sequence + 1) * MIX ^ run;
  }
}
