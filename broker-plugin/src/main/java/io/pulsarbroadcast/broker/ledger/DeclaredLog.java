/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import io.pulsarbroadcast.broker.compat.CursorMetadata;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.bookkeeper.mledger.ManagedCursor;

/**
 * What a subscription's cursor says of its positions log. It is a property of the cursor, which the
 * broker keeps over whatever moves it and whoever serves the topic, and which ends with it: so a
 * topic or subscription that is made again under the same name does not find what was. Immutable.
 *
 * @param generation which log it is
 * @param formerLedger the ledger that says, under the log's former name, that it has moved; {@link
 *     #NO_LEDGER} when nothing does; {@link #PENDING} when that is still to be said
 * @param lost which logs of the subscription could not be read and are kept
 */
public record DeclaredLog(String generation, long formerLedger, List<String> lost) {

  static final long NO_LEDGER = -1;
  static final long PENDING = -2;

  /** The prefix is Pulsar's own for properties that are no user's. */
  static final String INTERNAL = "#pulsar.internal.";

  /** No client may set it, see {@code BroadcastTopic}. */
  public static final String PROPERTY = INTERNAL + "broadcast.log";

  /** Former versions know one lost log at most, and refuse more as a format that is unknown. */
  private static final Pattern VALUE =
      Pattern.compile("(\\w+)/(-?\\d{1,18})/((?:\\w+(?:,\\w+)*)?)");

  /** Of a log under its former name, as what is lost. */
  static final String FORMER = "former";

  /** What a cursor says; null: the subscription is not Broadcast, or {@link #isUnknown}. */
  public static DeclaredLog of(ManagedCursor cursor) {
    return of(cursor.getCursorProperties());
  }

  /** The same of a cursor that has such properties. */
  static DeclaredLog of(Map<String, String> properties) {
    Matcher value = VALUE.matcher(valueOf(properties));
    return value.matches()
        ? new DeclaredLog(
            value.group(1),
            Long.parseLong(value.group(2)),
            value.group(3).isEmpty() ? List.of() : List.of(value.group(3).split(",")))
        : null;
  }

  /** Whether a cursor says something that only another version of the plugin understands. */
  static boolean isUnknown(ManagedCursor cursor) {
    return isUnknown(cursor.getCursorProperties());
  }

  /** The same of a cursor that has such properties. */
  static boolean isUnknown(Map<String, String> properties) {
    String value = valueOf(properties);
    return !value.isEmpty() && !VALUE.matcher(value).matches();
  }

  /** Whether a cursor says something, known or {@link #isUnknown}. */
  static boolean isDeclared(ManagedCursor cursor) {
    return !valueOf(cursor).isEmpty();
  }

  /** Whether the metadata of a cursor says something. */
  static boolean isDeclared(CursorMetadata cursor) {
    return cursor.properties().containsKey(PROPERTY);
  }

  private static String valueOf(ManagedCursor cursor) {
    return valueOf(cursor.getCursorProperties());
  }

  private static String valueOf(Map<String, String> properties) {
    return properties == null ? "" : properties.getOrDefault(PROPERTY, "");
  }

  /**
   * Has a cursor say it.
   *
   * @return completed when it is on storage; when it fails, the cursor says what is there, if that
   *     can be read
   */
  public CompletableFuture<Void> declare(ManagedCursor cursor) {
    String value = generation + "/" + formerLedger + "/" + String.join(",", lost);
    return CursorProperty.set(cursor, PROPERTY, value);
  }

  /** Has a cursor say nothing of a log any more: the subscription is plain. */
  public static CompletableFuture<Void> revoke(ManagedCursor cursor) {
    return isDeclared(cursor)
        ? CursorProperty.set(cursor, PROPERTY, null)
        : CompletableFuture.completedFuture(null);
  }

  /** The same when the former log says in a ledger that it has moved. */
  DeclaredLog retiredIn(long ledger) {
    return new DeclaredLog(generation, ledger, lost);
  }

  /** What is lost with one more log that cannot be read. */
  List<String> lostAnd(String log) {
    return Stream.concat(lost.stream(), Stream.of(log)).distinct().toList();
  }

  /** The same when somebody has decided about what is lost. */
  public DeclaredLog decided() {
    return new DeclaredLog(generation, formerLedger, List.of());
  }

  /** A subscription's properties without the broker's own. */
  public static Map<String, String> ofUsers(Map<String, String> properties) {
    Map<String, String> ofUsers = new HashMap<>(properties);
    ofUsers.keySet().removeIf(name -> name.startsWith(INTERNAL));
    return ofUsers;
  }
}
