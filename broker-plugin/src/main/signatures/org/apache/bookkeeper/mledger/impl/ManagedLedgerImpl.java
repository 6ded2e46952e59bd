/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.bookkeeper.mledger.impl;

import org.apache.bookkeeper.mledger.AsyncCallbacks.ReadEntryCallback;
import org.apache.bookkeeper.mledger.Position;

/** Compile-only: entries, where they begin and their size, from 4.0 on. See Pulsar4Calls. */
public abstract class ManagedLedgerImpl {

  public abstract void asyncReadEntry(Position position, ReadEntryCallback callback, Object ctx);

  public abstract Position getFirstPosition();

  public abstract long getEstimatedBacklogSize(Position position);
}
