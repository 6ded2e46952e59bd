/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

/** The broker did something else than the contract says. */
final class Difference extends AssertionError {

  private static final long serialVersionUID = 1L;

  Difference(String message) {
    super(message);
  }

  Difference(String message, Throwable cause) {
    super(message, cause);
  }

  static void unless(boolean asExpected, String message, Object... values) {
    if (!asExpected) {
      throw new Difference(message.formatted(values));
    }
  }
}
