/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.pulsar.broker.service.persistent;

import org.apache.bookkeeper.mledger.ManagedCursor;

/** Compile-only: the constructor of 4.0 and later. See Pulsar4Calls. */
public class PersistentMessageFinder {

  public PersistentMessageFinder(String topicName, ManagedCursor cursor, int ledgerCloseTimestampMaxClockSkewMillis) {}
}
