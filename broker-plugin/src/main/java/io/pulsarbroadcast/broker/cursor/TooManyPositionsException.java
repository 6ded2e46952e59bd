/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

/** A subscription has as many durable positions as it may have. */
public final class TooManyPositionsException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int limit;

  TooManyPositionsException(int limit) {
    super("There are " + limit + " positions, as many as there may be");
    this.limit = limit;
  }

  public int limit() {
    return limit;
  }
}
