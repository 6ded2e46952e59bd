/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetaStoreException;
import org.apache.bookkeeper.mledger.impl.ManagedCursorImpl;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.bookkeeper.mledger.impl.MetaStore;
import org.apache.bookkeeper.mledger.impl.MetaStore.MetaStoreCallback;
import org.apache.bookkeeper.mledger.impl.MetaStoreImpl;
import org.apache.bookkeeper.mledger.proto.MLDataFormats.ManagedCursorInfo;
import org.apache.bookkeeper.mledger.proto.MLDataFormats.StringProperty;
import org.apache.pulsar.metadata.api.MetadataStore;
import org.apache.pulsar.metadata.api.Stat;

/**
 * What the metadata store says of a managed cursor. Stateless; may be called from any thread.
 *
 * <p>A write that times out may have been applied. The cursor then knows neither what it says nor
 * its version, and every further write of a property fails, until the topic is loaded again. The
 * broker looks again by itself only after a failed write of a position.
 */
final class CursorState {

  private static final Method STORE = method(ManagedLedgerImpl.class, "getStore");
  private static final Field OWNERSHIP =
      BrokerLine.hiddenField(ManagedLedgerImpl.class, "mlOwnershipChecker");
  private static final Method UPDATE =
      method(
          ManagedCursorImpl.class, "updateCursorLedgerStat", ManagedCursorInfo.class, Stat.class);
  private static final Field PROPERTIES =
      BrokerLine.hiddenField(ManagedCursorImpl.class, "cursorProperties");

  /** Reads only: without a store. */
  private static final MetaStoreImpl PARSER = new MetaStoreImpl(null, null);

  private CursorState() {}

  /**
   * Checks that this broker has what is called here.
   *
   * @throws IllegalStateException naming what is missing
   */
  static void verify() {
    BrokerLine.require(STORE != null, "method ManagedLedgerImpl.getStore()");
    BrokerLine.require(OWNERSHIP != null, "field ManagedLedgerImpl.mlOwnershipChecker");
    BrokerLine.require(
        UPDATE != null, "method ManagedCursorImpl.updateCursorLedgerStat(ManagedCursorInfo, Stat)");
    BrokerLine.require(PROPERTIES != null, "field ManagedCursorImpl.cursorProperties");
  }

  /**
   * What a cursor's metadata is, wherever its topic is loaded.
   *
   * @param path see {@link PositionsLogName#metadataOf}
   */
  static CompletableFuture<Optional<ManagedCursorInfo>> read(MetadataStore store, String path) {
    return store
        .get(path)
        .thenCompose(
            found -> {
              try {
                return CompletableFuture.completedFuture(
                    found.isEmpty()
                        ? Optional.empty()
                        : Optional.of(PARSER.parseManagedCursorInfo(found.get().getValue())));
              } catch (IOException e) {
                return CompletableFuture.failedFuture(e);
              }
            });
  }

  /**
   * Has a cursor know what the metadata store has of it, when its topic is this broker's.
   *
   * @return fails when that cannot be read, and when the topic is another broker's now
   */
  static CompletableFuture<Void> refresh(ManagedCursor cursor) {
    try {
      ManagedLedgerImpl ledger = (ManagedLedgerImpl) cursor.getManagedLedger();
      @SuppressWarnings("unchecked")
      Supplier<CompletableFuture<Boolean>> ownership =
          (Supplier<CompletableFuture<Boolean>>) OWNERSHIP.get(ledger);
      MetaStore store = (MetaStore) STORE.invoke(ledger);
      return ownership
          .get()
          .thenCompose(
              owned ->
                  owned
                      ? refresh((ManagedCursorImpl) cursor, ledger, store)
                      : CompletableFuture.failedFuture(
                          new ManagedLedgerException("The topic is another broker's")));
    } catch (ReflectiveOperationException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<Void> refresh(
      ManagedCursorImpl cursor, ManagedLedgerImpl ledger, MetaStore store) {
    CompletableFuture<Void> refreshed = new CompletableFuture<>();
    store.asyncGetCursorInfo(
        ledger.getName(),
        cursor.getName(),
        new MetaStoreCallback<>() {
          @Override
          public void operationComplete(ManagedCursorInfo info, Stat stat) {
            try {
              Map<String, String> properties =
                  info.getCursorPropertiesList().stream()
                      .collect(Collectors.toMap(StringProperty::getName, StringProperty::getValue));
              UPDATE.invoke(cursor, info, stat);
              PROPERTIES.set(cursor, Collections.unmodifiableMap(properties));
              refreshed.complete(null);
            } catch (IllegalAccessException | InvocationTargetException e) {
              refreshed.completeExceptionally(e);
            }
          }

          @Override
          public void operationFailed(MetaStoreException e) {
            refreshed.completeExceptionally(e);
          }
        });
    return refreshed;
  }

  private static Method method(Class<?> type, String name, Class<?>... parameters) {
    try {
      Method method = type.getDeclaredMethod(name, parameters);
      method.setAccessible(true);
      return method;
    } catch (NoSuchMethodException e) {
      return null;
    }
  }
}
