/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.terminal;

import com.google.common.base.Throwables;
import javax.ws.rs.WebApplicationException;
import org.apache.pulsar.client.admin.PulsarAdminException;

/**
 * Why a command failed. Of this type pulsar-admin prints {@code getHttpError()}, then {@code
 * Reason:} and the message, and ends with 1; it ignores what a command returns.
 */
public final class CommandException extends PulsarAdminException {
  private static final long serialVersionUID = 1;

  /** What Pulsar has for failures without an answer. */
  private static final int DEFAULT_STATUS = 500;

  public CommandException(String failure, String reason) {
    this(failure, reason, null);
  }

  public CommandException(String failure, String reason, Throwable cause) {
    super(Format.printable(reason), cause, Format.printable(failure), DEFAULT_STATUS);
  }

  /** An option or argument that is not allowed. */
  public static CommandException wrongUse(String reason) {
    return new CommandException("Wrong use", reason);
  }

  /** The same failure in these words. */
  public static CommandException of(PulsarAdminException e) {
    if (e instanceof CommandException known) {
      return known;
    }
    if (Throwables.getCausalChain(e).stream()
        .noneMatch(WebApplicationException.class::isInstance)) {
      return noAnswer(e);
    }
    String reason = e.getHttpError();
    return new CommandException(
        "The broker's answer is HTTP " + e.getStatusCode(),
        reason == null || reason.isBlank() ? String.valueOf(e.getMessage()) : reason,
        e);
  }

  /** A request that did not get as far as an answer. */
  public static CommandException noAnswer(Throwable e) {
    Throwable cause = Throwables.getRootCause(e);
    return new CommandException(
        "No answer from the broker",
        cause.getMessage() == null ? cause.toString() : cause.getMessage(),
        e);
  }

  /** One line of it. */
  public String summary() {
    return getHttpError() + ": " + getMessage();
  }
}
