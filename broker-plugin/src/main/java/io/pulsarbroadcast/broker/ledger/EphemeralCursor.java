/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedCursor;

/**
 * The cursor that a non-durable Broadcast subscribe makes, which is durable as the one of every
 * Broadcast subscription. It says so itself, from its first write on: if the subscribe is refused
 * after all, or the broker stops, nobody takes it for a plain subscription, whose backlog is kept.
 * Stateless; may be called from any thread.
 *
 * <p>Once a positions log is declared ({@link DeclaredLog}), that and the cursor's mark ({@link
 * MarkDelete#isOfNonDurable}) say more, and this nothing. So the mark is there first, see {@link
 * #mark}.
 */
public final class EphemeralCursor {

  /** No client may set it, see {@code BroadcastTopic}. */
  public static final String PROPERTY = DeclaredLog.INTERNAL + "broadcast.ephemeral";

  private EphemeralCursor() {}

  /** The subscription's properties of a subscribe that makes one. */
  public static Map<String, String> withProperty(Map<String, String> properties) {
    Map<String, String> all = new HashMap<>(properties);
    all.put(PROPERTY, "1");
    return all;
  }

  /** Whether a cursor was made for a non-durable consumer that it has not served. */
  public static boolean isUnused(ManagedCursor cursor) {
    return isMade(cursor)
        && !DeclaredLog.isDeclared(cursor)
        && (!MarkDelete.isMarked(cursor) || MarkDelete.isOfNonDurable(cursor));
  }

  /**
   * Marks an unused cursor, whose log is about to be declared: a log without a mark is taken for
   * that of a subscription which has become plain on a broker without the plugin. Completed when
   * the mark is on storage.
   */
  static CompletableFuture<Void> mark(ManagedCursor cursor) {
    return isUnused(cursor)
        ? MarkDelete.markForNonDurable(cursor)
        : CompletableFuture.completedFuture(null);
  }

  private static boolean isMade(ManagedCursor cursor) {
    return CursorProperty.of(cursor, PROPERTY) != null;
  }

  /** Has a cursor be a plain subscription's, which stays; completed when that is on storage. */
  public static CompletableFuture<Void> keep(ManagedCursor cursor) {
    boolean made = isMade(cursor);
    if (!made && !MarkDelete.isMarked(cursor)) {
      return CompletableFuture.completedFuture(null);
    }
    // Also when it seems to be unmarked: a write that failed says nothing of storage.
    return MarkDelete.unmark(cursor)
        .thenCompose(
            unmarked ->
                made
                    ? CursorProperty.set(cursor, PROPERTY, null)
                    : CompletableFuture.completedFuture(null));
  }
}
