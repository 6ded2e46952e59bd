/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static io.pulsarbroadcast.broker.compat.BrokerLine.call;
import static io.pulsarbroadcast.broker.compat.BrokerLine.classIn;
import static io.pulsarbroadcast.broker.compat.BrokerLine.getter;
import static io.pulsarbroadcast.broker.compat.BrokerLine.require;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.lang.reflect.Method;
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

  private static final Class<?> INFO =
      CursorState.PARSE == null ? null : CursorState.PARSE.getReturnType();
  private static final Method LEDGER_ID = getter(INFO, "getCursorsLedgerId");
  private static final Method MARKS = getter(INFO, "getPropertiesList");
  private static final Method MARK_NAME = getter(classIn(MARKS), "getName");
  private static final Method PROPERTIES = getter(INFO, "getCursorPropertiesList");
  private static final Method PROPERTY_NAME = getter(classIn(PROPERTIES), "getName");
  private static final Method PROPERTY_VALUE = getter(classIn(PROPERTIES), "getValue");

  /**
   * Checks that this broker has what is called here.
   *
   * @throws IllegalStateException naming what is missing
   */
  static void verify() {
    require(LEDGER_ID != null, "method ManagedCursorInfo.getCursorsLedgerId()");
    require(
        MARK_NAME != null, "method getName() of what is in ManagedCursorInfo.getPropertiesList()");
    require(
        PROPERTY_NAME != null && PROPERTY_VALUE != null,
        "methods getName() and getValue() of what is in ManagedCursorInfo.getCursorPropertiesList()");
  }

  /**
   * @param info a {@code ManagedCursorInfo}: from 4.2 on another class, whose methods have the same
   *     names
   */
  static CursorMetadata of(Object info) {
    return new CursorMetadata(
        (Long) call(LEDGER_ID, info),
        list(MARKS, info).stream().map(mark -> (String) call(MARK_NAME, mark)).collect(toSet()),
        list(PROPERTIES, info).stream()
            .collect(
                toMap(
                    property -> (String) call(PROPERTY_NAME, property),
                    property -> (String) call(PROPERTY_VALUE, property))));
  }

  private static List<?> list(Method getter, Object info) {
    return (List<?>) call(getter, info);
  }
}
