/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import io.pulsarbroadcast.broker.compat.CursorState;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerException.BadVersionException;
import org.apache.pulsar.common.util.FutureUtil;

/**
 * Writes a property of a managed cursor. Stateless; may be called from any thread.
 *
 * <p>A failed write may have been applied all the same, and one that meets another write of the
 * cursor's metadata (the broker writes it whenever the cursor begins a ledger) is refused: the
 * cursor does not put its writes in order. Storage says which it was.
 */
final class CursorProperty {

  /** Each conflict is with a write that succeeded, and a cursor has few. */
  private static final int ATTEMPTS = 5;

  private CursorProperty() {}

  /**
   * Sets a property, or removes it.
   *
   * @param value null: it is removed
   * @return completed when that is on storage; when it fails, the cursor says what is there, if
   *     that can be read
   */
  static CompletableFuture<Void> set(ManagedCursor cursor, String name, String value) {
    return set(cursor, name, value, ATTEMPTS);
  }

  private static CompletableFuture<Void> set(
      ManagedCursor cursor, String name, String value, int attempts) {
    String before = of(cursor, name);
    CompletableFuture<Void> written =
        value == null ? cursor.removeCursorProperty(name) : cursor.putCursorProperty(name, value);
    return written.exceptionallyCompose(
        e ->
            CursorState.refresh(cursor)
                .handle(
                    (refreshed, unknown) -> {
                      if (unknown == null && Objects.equals(of(cursor, name), value)) {
                        return CompletableFuture.<Void>completedFuture(null);
                      }
                      // By another load of the topic.
                      boolean overtaken =
                          cursor.isClosed() || !Objects.equals(of(cursor, name), before);
                      return unknown == null && isConflict(e) && !overtaken && attempts > 1
                          ? set(cursor, name, value, attempts - 1)
                          : CompletableFuture.<Void>failedFuture(e);
                    })
                .thenCompose(done -> done));
  }

  private static boolean isConflict(Throwable failure) {
    return FutureUtil.unwrapCompletionException(failure) instanceof BadVersionException;
  }

  /** What a cursor says, or null. */
  static String of(ManagedCursor cursor, String name) {
    Map<String, String> properties = cursor.getCursorProperties();
    return properties == null ? null : properties.get(name);
  }
}
