/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.terminal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Locale;

/**
 * What a command reads answers from and prints to: results to {@code out}, the rest to {@code err}.
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err) {

  /** That of this process. */
  public static Terminal standard() {
    return new Terminal(System.in, System.out, System.err);
  }

  /**
   * Asks a question.
   *
   * @throws CommandException if the answer is not y or yes
   */
  public void confirm(String question) throws CommandException {
    err.print(question + " [y/N] ");
    err.flush();
    String answer = answer();
    if (answer == null) {
      err.println();
      throw new CommandException(
          "Nothing was changed", "There was no answer to read. Without a terminal, add --yes");
    }
    String normalized = answer.strip().toLowerCase(Locale.ROOT);
    if (!normalized.equals("y") && !normalized.equals("yes")) {
      throw new CommandException(
          "Nothing was changed", "The answer was '" + answer.strip() + "', not y or yes");
    }
  }

  private String answer() {
    try {
      // Not closed: pulsar-shell reads its next command from there.
      return new BufferedReader(new InputStreamReader(in, Charset.defaultCharset())).readLine();
    } catch (IOException e) {
      return null;
    }
  }

  /** To be called at the end: pulsar-admin halts without it. */
  public void flush() {
    out.flush();
    err.flush();
  }
}
