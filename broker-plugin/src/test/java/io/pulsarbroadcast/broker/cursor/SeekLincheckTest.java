/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.Interleavings;
import io.pulsarbroadcast.broker.cursor.VirtualCursor.AckResult;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * A seek among acknowledgements on other threads: each acknowledgement counts from before the seek
 * or after it, never in part (I4, I5). Who reads during the seek may see some of both, so the reads
 * here do not run beside it.
 */
@Param(name = "ordinal", gen = IntGen.class, conf = "0:5")
public class SeekLincheckTest {

  private final VirtualCursor cursor = new VirtualCursor("car", true, new SkippedEntries(), 0, 6);

  @Operation
  public boolean ackCumulative(@Param(name = "ordinal") int ordinal) {
    return cursor.ackCumulative(ordinal) != AckResult.NOT_SENT;
  }

  @Operation
  public boolean ackIndividual(@Param(name = "ordinal") int ordinal) {
    return cursor.ackIndividual(ordinal) != AckResult.NOT_SENT;
  }

  @Operation(nonParallelGroup = "seek")
  public void seek(@Param(name = "ordinal") int ordinal) {
    cursor.reset(ordinal);
  }

  @Operation(nonParallelGroup = "seek")
  public boolean isAcknowledged(@Param(name = "ordinal") int ordinal) {
    return cursor.isAcknowledged(ordinal);
  }

  @Test
  void shouldTakeEachAcknowledgementBeforeOrAfterTheSeek() {
    Interleavings.check(SeekLincheckTest.class, Sequential.class, 50);
  }

  /** What is expected: a set of entries. */
  public static class Sequential {
    private final boolean[] acknowledged = new boolean[6];

    public boolean ackCumulative(int ordinal) {
      for (int i = 0; i <= ordinal; i++) {
        acknowledged[i] = true;
      }
      return true;
    }

    public boolean ackIndividual(int ordinal) {
      acknowledged[ordinal] = true;
      return true;
    }

    public void seek(int ordinal) {
      for (int i = 0; i < acknowledged.length; i++) {
        acknowledged[i] = i < ordinal;
      }
    }

    public boolean isAcknowledged(int ordinal) {
      return acknowledged[ordinal];
    }
  }
}
