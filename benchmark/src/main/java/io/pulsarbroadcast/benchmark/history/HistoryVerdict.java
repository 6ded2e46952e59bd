/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a history in a file amounts to. Immutable; any thread may use it.
 *
 * @param violations in order; empty if nothing is wrong
 * @param truncated whether the last line has no end, and was left out
 */
public record HistoryVerdict(
    HistoryChecker.Summary summary, List<Violation> violations, boolean truncated) {

  /**
   * Reads and checks a file.
   *
   * @throws IOException when it cannot be read; names the line
   */
  public static HistoryVerdict of(Path file) throws IOException {
    try (HistoryReader reader = HistoryReader.open(file)) {
      HistoryChecker checker = new HistoryChecker();
      List<Violation> violations = checker.check(reader.events());
      return new HistoryVerdict(checker.summary(), violations, reader.isTruncated());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Those of one invariant. */
  public List<Violation> of(Invariant invariant) {
    return violations.stream().filter(violation -> violation.invariant() == invariant).toList();
  }

  /** Whether there are violations of anything but {@link Invariant#VALID}. */
  public boolean isBroken() {
    return of(Invariant.VALID).size() < violations.size();
  }
}
