/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.pulsar.broker.service.persistent;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.Position;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.client.api.transaction.TxnID;

/** Compile-only: what 4.0 and later answer in other types. See Pulsar4Calls. */
public abstract class PersistentTopic {

  public abstract BrokerService getBrokerService();

  public abstract ManagedLedger getManagedLedger();

  public abstract Map<String, PersistentSubscription> getSubscriptions();

  public abstract Position getMaxReadPosition();

  public abstract boolean isTxnAborted(TxnID txnID, Position readPosition);

  public abstract CompletableFuture<Void> checkIfTransactionBufferRecoverCompletely();
}
