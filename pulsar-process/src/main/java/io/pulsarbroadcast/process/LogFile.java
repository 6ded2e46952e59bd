/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** What a broker has logged since some moment. Any thread may call it. */
final class LogFile {
  private static final Pattern ERROR =
      Pattern.compile("^(Caused by: )?[a-zA-Z_$][\\w$]*(\\.[\\w$]+)+(Exception|Error): .*");
  private static final int MAX_ERRORS = 5;

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
    ArrayDeque<String> last = new ArrayDeque<>();
    forEachLine(
        line -> {
          if (last.size() == maxLines) {
            last.removeFirst();
          }
          last.addLast(line);
        });
    return List.copyOf(last);
  }

  /** The first lines of stack traces: what went wrong, without where. */
  List<String> errors() {
    Set<String> errors = new LinkedHashSet<>();
    forEachLine(
        line -> {
          if (errors.size() < MAX_ERRORS && ERROR.matcher(line).matches()) {
            errors.add(line);
          }
        });
    return List.copyOf(errors);
  }

  /** How many lines match. */
  long count(Predicate<String> line) {
    AtomicLong count = new AtomicLong();
    forEachLine(
        text -> {
          if (line.test(text)) {
            count.incrementAndGet();
          }
        });
    return count.get();
  }

  private void forEachLine(Consumer<String> action) {
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      channel.position(fromByte);
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.ISO_8859_1));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        action.accept(line);
      }
    } catch (IOException e) {
      // There is no log to show, which is all that a caller can say.
    }
  }
}
