/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.bookkeeper.mledger;

/** Compile-only: makes positions, from 4.0 on. See Pulsar4Calls. */
public final class PositionFactory {

  public static final Position EARLIEST = null;
  public static final Position LATEST = null;

  public static Position create(long ledgerId, long entryId) {
    return null;
  }
}
