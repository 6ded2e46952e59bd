/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.pulsar.broker;

import org.apache.bookkeeper.mledger.ManagedLedgerFactory;

/** Compile-only: the factory of ledgers, from 4.0 on. See Pulsar4Calls. */
public abstract class PulsarService {

  public abstract ServiceConfiguration getConfiguration();

  public abstract ManagedLedgerFactory getDefaultManagedLedgerFactory();
}
