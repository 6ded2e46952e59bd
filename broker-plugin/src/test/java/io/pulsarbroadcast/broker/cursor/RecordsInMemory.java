/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A positions log that takes everything at once. Not thread-safe. */
final class RecordsInMemory implements PositionsStore.Log {

  /** What is not forgotten. */
  final List<byte[]> records = new ArrayList<>();

  /** How many are. */
  int forgotten;

  @Override
  public CompletableFuture<Object> append(byte[] record) {
    records.add(record);
    return CompletableFuture.completedFuture(record);
  }

  @Override
  public void forgetBefore(Object record) {
    while (records.get(0) != record) {
      records.remove(0);
      forgotten++;
    }
  }
}
