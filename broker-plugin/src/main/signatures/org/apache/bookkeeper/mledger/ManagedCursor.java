/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.bookkeeper.mledger;

import org.apache.bookkeeper.mledger.AsyncCallbacks.ReadEntriesCallback;

/** Compile-only: reading, from 4.0 on. See Pulsar4Calls. */
public interface ManagedCursor {

  void asyncReadEntries(
      int numberOfEntriesToRead, long maxSizeBytes, ReadEntriesCallback callback, Object ctx, Position maxPosition);

  void asyncReadEntriesOrWait(
      int maxEntries, long maxSizeBytes, ReadEntriesCallback callback, Object ctx, Position maxPosition);
}
