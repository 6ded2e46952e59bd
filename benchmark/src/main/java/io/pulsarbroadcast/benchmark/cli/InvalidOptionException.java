/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

/** Says in one line which option is wrong, its value, and what is allowed. */
public final class InvalidOptionException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public InvalidOptionException(String message) {
    super(message);
  }
}
