/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.Interleavings;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** Ranges that are read on one thread, asked for on others and forgotten on a third. */
@Param(name = "ordinal", gen = IntGen.class, conf = "0:1")
@Param(name = "end", gen = IntGen.class, conf = "1:2")
public class SkippedEntriesLincheckTest {

  private final SkippedEntries skipped = new SkippedEntries();

  @Operation
  public void add(@Param(name = "ordinal") int ordinal) {
    skipped.add(ordinal, ordinal + 1);
  }

  @Operation
  public long firstNotSkipped(@Param(name = "ordinal") int ordinal) {
    return skipped.firstNotSkipped(ordinal);
  }

  @Operation
  public void forgetBefore(@Param(name = "end") int end) {
    skipped.forgetBefore(end);
  }

  @Test
  void shouldKnowEachRangeUntilItIsForgotten() {
    Interleavings.check(SkippedEntriesLincheckTest.class, Sequential.class, 100);
  }

  /** What is expected: a set of entries. */
  public static class Sequential {
    private final boolean[] entries = new boolean[3];

    public void add(int ordinal) {
      entries[ordinal] = true;
    }

    public long firstNotSkipped(int ordinal) {
      int next = ordinal;
      while (entries[next]) {
        next++;
      }
      return next;
    }

    public void forgetBefore(int end) {
      for (int i = 0; i < end; i++) {
        entries[i] = false;
      }
    }
  }
}
