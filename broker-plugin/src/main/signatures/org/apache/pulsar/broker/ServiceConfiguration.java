/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.pulsar.broker;

/** Compile-only: a setting that 4.0 and later have. See Pulsar4Calls. */
public class ServiceConfiguration {

  public int getManagedLedgerCursorResetLedgerCloseTimestampMaxClockSkewMillis() {
    return 0;
  }
}
