/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The virtual cursors of the connected consumers of one subscription, in no order. Adding and
 * removing are O(1). Guarded by its {@link CursorRegistry}.
 */
final class ConnectedCursors {

  private VirtualCursor[] cursors = new VirtualCursor[16];
  private int count;
  private int durableCount;

  int count() {
    return count;
  }

  /** How many outlive their connection. */
  int durableCount() {
    return durableCount;
  }

  VirtualCursor get(int index) {
    return cursors[index];
  }

  void add(VirtualCursor cursor) {
    if (count == cursors.length) {
      cursors = Arrays.copyOf(cursors, count * 2);
    }
    cursor.slot = count;
    cursors[count++] = cursor;
    durableCount += cursor.isDurable() ? 1 : 0;
  }

  /** Takes a cursor off; false when it was taken off already. */
  boolean remove(VirtualCursor cursor) {
    if (!cursor.isConnected()) {
      return false;
    }
    int slot = cursor.slot;
    VirtualCursor last = cursors[--count];
    cursors[count] = null;
    if (last != cursor) {
      cursors[slot] = last;
      last.slot = slot;
    }
    cursor.slot = -1;
    durableCount -= cursor.isDurable() ? 1 : 0;
    return true;
  }

  void forEach(Consumer<VirtualCursor> action) {
    for (int i = 0; i < count; i++) {
      action.accept(cursors[i]);
    }
  }

  /** Where they are. */
  long[] positions() {
    long[] positions = new long[count];
    for (int i = 0; i < count; i++) {
      positions[i] = cursors[i].next();
    }
    return positions;
  }
}
