/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static io.pulsarbroadcast.broker.compat.BrokerLine.hiddenField;
import static io.pulsarbroadcast.broker.compat.BrokerLine.hiddenMethod;
import static io.pulsarbroadcast.broker.compat.BrokerLine.require;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetaStoreException;
import org.apache.bookkeeper.mledger.impl.ManagedCursorImpl;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.bookkeeper.mledger.impl.MetaStore;
import org.apache.bookkeeper.mledger.impl.MetaStore.MetaStoreCallback;
import org.apache.bookkeeper.mledger.impl.MetaStoreImpl;
import org.apache.pulsar.metadata.api.MetadataStore;
import org.apache.pulsar.metadata.api.Stat;

/**
 * What the metadata store says of a managed cursor. Stateless; may be called from any thread.
 *
 * <p>A write that times out may have been applied. The cursor then knows neither what it says nor
 * its version, and every further write of a property fails, until the topic is loaded again. The
 * broker looks again by itself only after a failed write of a position.
 */
public final class CursorState {

  private static final Method STORE = hiddenMethod(ManagedLedgerImpl.class, "getStore");
  private static final Field OWNERSHIP = hiddenField(ManagedLedgerImpl.class, "mlOwnershipChecker");
  private static final Method UPDATE =
      hiddenMethod(ManagedCursorImpl.class, "updateCursorLedgerStat");
  private static final Field PROPERTIES = hiddenField(ManagedCursorImpl.class, "cursorProperties");
  static final Method PARSE = hiddenMethod(MetaStoreImpl.class, "parseManagedCursorInfo");

  /** Reads only: without a store. */
  private static final MetaStoreImpl PARSER = new MetaStoreImpl(null, null);

  private CursorState() {}

  /**
   * Checks that this broker has what is called here.
   *
   * @throws IllegalStateException naming what is missing
   */
  static void verify() {
    require(STORE != null, "method ManagedLedgerImpl.getStore()");
    require(OWNERSHIP != null, "field ManagedLedgerImpl.mlOwnershipChecker");
    require(
        UPDATE != null, "method ManagedCursorImpl.updateCursorLedgerStat(ManagedCursorInfo, Stat)");
    require(PROPERTIES != null, "field ManagedCursorImpl.cursorProperties");
    require(PARSE != null, "method MetaStoreImpl.parseManagedCursorInfo(byte[])");
    CursorMetadata.verify();
  }

  /**
   * What a cursor's metadata is, wherever its topic is loaded.
   *
   * @param path where the store has the cursor
   */
  public static CompletableFuture<Optional<CursorMetadata>> read(MetadataStore store, String path) {
    return store
        .get(path)
        .thenApply(
            found ->
                found
                    .map(value -> BrokerLine.call(PARSE, PARSER, (Object) value.getValue()))
                    .map(CursorMetadata::of));
  }

  /**
   * Has a cursor know what the metadata store has of it, when its topic is this broker's.
   *
   * @return fails when that cannot be read, and when the topic is another broker's now
   */
  public static CompletableFuture<Void> refresh(ManagedCursor cursor) {
    ManagedLedgerImpl ledger = (ManagedLedgerImpl) cursor.getManagedLedger();
    return owned(ledger)
        .thenCompose(
            owned ->
                refresh(
                    (ManagedCursorImpl) cursor,
                    ledger,
                    (MetaStore) BrokerLine.call(STORE, ledger)));
  }

  /**
   * Completed when a topic is this broker's, as far as it knows by now.
   *
   * @return fails when the topic is another broker's, and when that cannot be found out
   */
  public static CompletableFuture<Void> owned(ManagedLedger ledger) {
    try {
      @SuppressWarnings("unchecked")
      Supplier<CompletableFuture<Boolean>> ownership =
          (Supplier<CompletableFuture<Boolean>>) OWNERSHIP.get(ledger);
      return ownership
          .get()
          .thenCompose(
              owned ->
                  owned
                      ? CompletableFuture.<Void>completedFuture(null)
                      : CompletableFuture.failedFuture(
                          new ManagedLedgerException("The topic is another broker's")));
    } catch (ReflectiveOperationException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The callback is raw: what the store has is of another class in 4.2. */
  @SuppressWarnings({"rawtypes", "unchecked"})
  private static CompletableFuture<Void> refresh(
      ManagedCursorImpl cursor, ManagedLedgerImpl ledger, MetaStore store) {
    CompletableFuture<Void> refreshed = new CompletableFuture<>();
    store.asyncGetCursorInfo(
        ledger.getName(),
        cursor.getName(),
        new MetaStoreCallback() {
          @Override
          public void operationComplete(Object info, Stat stat) {
            try {
              Map<String, String> properties = CursorMetadata.of(info).properties();
              // First: with the new version, somebody may write the properties that are there.
              PROPERTIES.set(cursor, Collections.unmodifiableMap(properties));
              BrokerLine.call(UPDATE, cursor, info, stat);
              refreshed.complete(null);
            } catch (IllegalAccessException | RuntimeException e) {
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
}
