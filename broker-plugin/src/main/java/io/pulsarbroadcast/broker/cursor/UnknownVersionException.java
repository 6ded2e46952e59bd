/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.io.IOException;

/** Stored positions are of a version that this plugin does not know; says which it knows. */
public final class UnknownVersionException extends IOException {

  private static final long serialVersionUID = 1;

  public UnknownVersionException(String message) {
    super(message);
  }
}
