/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedCursor;

/**
 * What a subscription's cursor says of its positions log. It is a property of the cursor, which the
 * broker keeps over whatever moves it and whoever serves the topic, and which ends with it: so a
 * topic or subscription that is made again under the same name does not find what was. Immutable.
 *
 * @param generation which log it is
 * @param formerLedger the ledger that says, under the log's former name, that it has moved; {@link
 *     #NO_LEDGER} when nothing does
 * @param lost which log of the subscription could not be read and is kept; null: none
 */
record DeclaredLog(String generation, long formerLedger, String lost) {

  static final long NO_LEDGER = -1;

  /** The prefix is Pulsar's own for properties that are no user's. */
  private static final String INTERNAL = "#pulsar.internal.";

  private static final String PROPERTY = INTERNAL + "broadcast.log";

  /** Of a log under its former name, as what is lost. */
  static final String FORMER = "former";

  /** What a cursor says; null: the subscription is not Broadcast. */
  static DeclaredLog of(ManagedCursor cursor) {
    Map<String, String> properties = cursor.getCursorProperties();
    String value = properties == null ? null : properties.get(PROPERTY);
    if (value == null) {
      return null;
    }
    String[] parts = value.split("/", 3);
    return new DeclaredLog(
        parts[0], Long.parseLong(parts[1]), parts[2].isEmpty() ? null : parts[2]);
  }

  /**
   * Has a cursor say it.
   *
   * @return completed when it is on storage
   */
  CompletableFuture<Void> declare(ManagedCursor cursor) {
    return cursor.putCursorProperty(
        PROPERTY, generation + "/" + formerLedger + "/" + (lost == null ? "" : lost));
  }

  /** Has a cursor say nothing of a log any more: the subscription is plain. */
  static CompletableFuture<Void> revoke(ManagedCursor cursor) {
    return of(cursor) == null
        ? CompletableFuture.completedFuture(null)
        : cursor.removeCursorProperty(PROPERTY);
  }

  /** The same when somebody has decided about what is lost. */
  DeclaredLog decided() {
    return new DeclaredLog(generation, formerLedger, null);
  }

  /** A subscription's properties without the broker's own. */
  static Map<String, String> ofUsers(Map<String, String> properties) {
    Map<String, String> ofUsers = new HashMap<>(properties);
    ofUsers.keySet().removeIf(name -> name.startsWith(INTERNAL));
    return ofUsers;
  }
}
