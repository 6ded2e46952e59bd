/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetaStoreException;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerFactoryImpl;
import org.apache.bookkeeper.mledger.impl.MetaStore.MetaStoreCallback;
import org.apache.bookkeeper.mledger.impl.ShadowManagedLedgerImpl;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.metadata.api.Stat;

/**
 * What a shadow topic knows of its source's ledgers (PIP-180). Pulsar keeps one watch for each
 * source, so that of several shadow topics only the last one that was loaded is told of changes; no
 * public method tells the others. May be called from any thread.
 */
public final class ShadowLedger {

  /** The version of the source's metadata that it has taken in; null: none yet. */
  private static final Field KNOWN =
      BrokerLine.hiddenField(ShadowManagedLedgerImpl.class, "sourceLedgersStat");

  private static final Method CHANGED =
      BrokerLine.hiddenMethod(ShadowManagedLedgerImpl.class, "processSourceManagedLedgerInfo");

  private ShadowLedger() {}

  /** Fails with what this broker lacks. */
  static void verify() {
    BrokerLine.require(KNOWN != null, "field ShadowManagedLedgerImpl.sourceLedgersStat");
    BrokerLine.require(
        CHANGED != null && CHANGED.getParameterCount() == 2,
        "method ShadowManagedLedgerImpl.processSourceManagedLedgerInfo(ManagedLedgerInfo, Stat)");
  }

  /**
   * Tells a shadow topic's ledger what its source's ledgers are, unless it knows.
   *
   * @return completed when it knows; fails when the metadata store does not say
   */
  @SuppressWarnings({"rawtypes", "unchecked"}) // What it calls back with is another class in 4.2.
  public static CompletableFuture<Void> follow(
      ManagedLedger shadow, TopicName source, BrokerService broker) {
    CompletableFuture<Void> known = new CompletableFuture<>();
    MetaStoreCallback callback =
        new MetaStoreCallback<Object>() {
          @Override
          public void operationComplete(Object ledgers, Stat version) {
            try {
              tell(shadow, ledgers, version);
              known.complete(null);
            } catch (InvocationTargetException e) {
              known.completeExceptionally(e.getCause());
            } catch (IllegalAccessException | RuntimeException e) {
              known.completeExceptionally(e);
            }
          }

          @Override
          public void operationFailed(MetaStoreException e) {
            known.completeExceptionally(e);
          }
        };
    ((ManagedLedgerFactoryImpl) LineCalls.BROKER.managedLedgerFactory(broker))
        .getMetaStore()
        .getManagedLedgerInfo(source.getPersistenceNamingEncoding(), false, callback);
    return known;
  }

  private static void tell(ManagedLedger shadow, Object ledgers, Stat version)
      throws InvocationTargetException, IllegalAccessException {
    Stat known = (Stat) KNOWN.get(shadow);
    boolean isNew = known == null || known.getVersion() < version.getVersion();
    // A closed one would be opened.
    if (isNew && !BrokerLine.isClosed(shadow)) {
      CHANGED.invoke(shadow, ledgers, version);
    }
  }
}
