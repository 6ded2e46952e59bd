/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What a broker has logged since some moment. Any thread may call it. */
final class LogFile {
  private static final Pattern ERROR =
      Pattern.compile("^(Caused by: )?[a-zA-Z_$][\\w$]*(\\.[\\w$]+)+(Exception|Error): .*");
  private static final int MAX_ERRORS = 5;
  private static final Pattern REGISTRATION_ROUND =
      Pattern.compile("Lock on resource /ledgers/available/\\S+ was invalidated");

  // A round takes about a millisecond; a start without the defect has at most a few.
  private static final int MIN_ROUNDS = 20;

  private final Path file;
  private final long fromByte;

  private LogFile(Path file, long fromByte) {
    this.file = file;
    this.fromByte = fromByte;
  }

  /** Everything in the file. */
  static LogFile all(Path file) {
    return new LogFile(file, 0);
  }

  /** What is written to the file from now on. */
  static LogFile fromNow(Path file) throws IOException {
    return new LogFile(file, Files.exists(file) ? Files.size(file) : 0);
  }

  /** The last lines. */
  List<String> tail(int maxLines) {
    List<String> lines = lines();
    return lines.subList(Math.max(0, lines.size() - maxLines), lines.size());
  }

  /** The first lines of stack traces: what went wrong, without where. */
  List<String> errors() {
    return lines().stream().filter(ERROR.asMatchPredicate()).distinct().limit(MAX_ERRORS).toList();
  }

  /**
   * Whether it shows a defect of stock Pulsar: after a crash the bookie finds its own registration
   * of before, deletes it, and takes the news of that deletion for the loss of the new one, which
   * it then deletes and makes again for ever. BookKeeper is of no use meanwhile, whatever runs on
   * it. See apache/pulsar#25001.
   */
  boolean showsRegistrationLoop() {
    return lines().stream().filter(REGISTRATION_ROUND.asPredicate()).count() >= MIN_ROUNDS;
  }

  /** None when there is no log to show, which is all that a caller can say. */
  private List<String> lines() {
    try (InputStream in = Files.newInputStream(file)) {
      in.skipNBytes(fromByte);
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).lines().toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
