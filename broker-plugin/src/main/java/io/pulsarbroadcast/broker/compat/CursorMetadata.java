/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the metadata store has of a cursor. Immutable.
 *
 * @param ledgerId the ledger that its positions go to; -1 when it has been closed
 * @param marks the names of the properties that went with its last position before it was closed
 * @param properties those of the cursor itself
 */
public record CursorMetadata(long ledgerId, Set<String> marks, Map<String, String> properties) {

  /**
   * @param info a {@code ManagedCursorInfo}: from 4.2 on another class, whose methods have the same
   *     names
   */
  static CursorMetadata of(Object info) {
    return new CursorMetadata(
        (Long) BrokerLine.get(info, "getCursorsLedgerId"),
        list(info, "getPropertiesList").stream()
            .map(mark -> (String) BrokerLine.get(mark, "getName"))
            .collect(toSet()),
        list(info, "getCursorPropertiesList").stream()
            .collect(
                toMap(
                    property -> (String) BrokerLine.get(property, "getName"),
                    property -> (String) BrokerLine.get(property, "getValue"))));
  }

  private static List<?> list(Object info, String getter) {
    return (List<?>) BrokerLine.get(info, getter);
  }
}
