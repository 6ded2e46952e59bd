/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

/** A first-in-first-out queue of ints with a fixed capacity. Not thread-safe. */
final class IntRing {
  private final int[] items;
  private int head;
  private int size;

  IntRing(int capacity) {
    items = new int[capacity];
  }

  void add(int item) {
    if (size == items.length) {
      throw new IllegalStateException("More than " + items.length + " items");
    }
    items[(head + size++) % items.length] = item;
  }

  int remove() {
    if (size == 0) {
      throw new IllegalStateException("No item");
    }
    int item = items[head];
    head = (head + 1) % items.length;
    size--;
    return item;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    size = 0;
  }
}
