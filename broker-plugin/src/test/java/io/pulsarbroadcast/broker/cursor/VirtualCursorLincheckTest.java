/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static io.pulsarbroadcast.broker.Interleavings.require;

import io.pulsarbroadcast.broker.Interleavings;
import io.pulsarbroadcast.broker.cursor.VirtualCursor.AckResult;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Acknowledgements of any kind and deliveries on any thread, as while one connection ends and
 * another goes on, and what dispatch asks meanwhile: as if one after the other (I4). Entry 2 is for
 * nobody, of entry 1 single messages are acknowledged.
 *
 * <p>Left out on purpose: what an acknowledgement answers beyond "taken", and the position while
 * acknowledgements are under way. It may be low for a moment, before holes are closed; it must not
 * be ahead, and it is exact when all is quiet.
 */
@Param(name = "ordinal", gen = IntGen.class, conf = "0:3")
@Param(name = "end", gen = IntGen.class, conf = "3:4")
public class VirtualCursorLincheckTest {

  private static final int ENTRIES = 4;

  private final SkippedEntries skipped = new SkippedEntries();
  private final VirtualCursor cursor = new VirtualCursor("car", true, skipped, 0, 2);

  /** What was taken, which nothing may undo. */
  private final boolean[] taken = new boolean[ENTRIES];

  /** The ends of what was delivered. */
  private final boolean[] delivered = new boolean[ENTRIES + 1];

  public VirtualCursorLincheckTest() {
    skipped.add(2, 3);
  }

  @Operation
  public boolean ackCumulative(@Param(name = "ordinal") int ordinal) {
    boolean sent = cursor.ackCumulative(ordinal) != AckResult.NOT_SENT;
    for (int i = 0; i <= ordinal && sent; i++) {
      taken[i] = true;
    }
    return sent;
  }

  @Operation
  public boolean ackIndividual(@Param(name = "ordinal") int ordinal) {
    boolean sent = cursor.ackIndividual(ordinal) != AckResult.NOT_SENT;
    taken[ordinal] |= sent;
    return sent;
  }

  @Operation
  public boolean ackFirstOfTwoMessages() {
    return cursor.ackPart(1, new long[] {0b10}) != AckResult.NOT_SENT;
  }

  @Operation
  public boolean ackSecondOfTwoMessages() {
    return cursor.ackPart(1, new long[] {0b01}) != AckResult.NOT_SENT;
  }

  @Operation
  public boolean isAcknowledged(@Param(name = "ordinal") int ordinal) {
    boolean passed = ordinal < cursor.next();
    boolean acknowledged = cursor.isAcknowledged(ordinal);
    require(acknowledged || !passed, "the position was ahead");
    return acknowledged && ordinal != 2;
  }

  @Operation
  public void delivered(@Param(name = "end") int end) {
    cursor.delivered(end);
    delivered[end] = true;
  }

  @Validate
  public void thePositionIsAtTheFirstHole() {
    long position = skipped.firstNotSkipped(cursor.next());
    require(!cursor.isAcknowledged(position), "the position stayed behind");
    for (int i = 0; i < ENTRIES; i++) {
      require(!taken[i] || cursor.isAcknowledged(i), "an acknowledgement was lost");
      require(i >= position || cursor.remaining(i) == null, "a part stayed behind");
      require(!delivered[i + 1] || cursor.deliveredEnd() > i, "what was delivered was forgotten");
    }
  }

  @Test
  void shouldTakeAcknowledgementsAsIfOneAfterTheOther() {
    Interleavings.check(VirtualCursorLincheckTest.class, Sequential.class, 100);
  }

  /** What is expected: a set of messages. */
  public static class Sequential {
    private final boolean[] acknowledged = new boolean[ENTRIES];
    private boolean firstMessage;
    private boolean secondMessage;
    private int deliveredEnd = 2;

    public boolean ackCumulative(int ordinal) {
      for (int i = 0; i <= ordinal && ordinal < deliveredEnd; i++) {
        acknowledged[i] = true;
      }
      return ordinal < deliveredEnd;
    }

    public boolean ackIndividual(int ordinal) {
      if (ordinal < deliveredEnd) {
        acknowledged[ordinal] = true;
      }
      return ordinal < deliveredEnd;
    }

    public boolean ackFirstOfTwoMessages() {
      firstMessage = true;
      acknowledged[1] |= secondMessage;
      return true;
    }

    public boolean ackSecondOfTwoMessages() {
      secondMessage = true;
      acknowledged[1] |= firstMessage;
      return true;
    }

    public boolean isAcknowledged(int ordinal) {
      return acknowledged[ordinal] && ordinal != 2;
    }

    public void delivered(int end) {
      deliveredEnd = Math.max(deliveredEnd, end);
    }
  }
}
