/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Reads a history from its file, once. One thread may call it.
 *
 * <p>The writer may have been killed: a last line that does not end is left out, and {@link
 * #isTruncated()} says so. Anything else that is no event is an error.
 */
public final class HistoryReader implements Closeable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final Path file;
  private final TornInput input;
  private final BufferedReader reader;
  private long lines;
  private boolean truncated;

  private HistoryReader(Path file) throws IOException {
    this.file = file;
    InputStream bytes = Files.newInputStream(file);
    try {
      input =
          new TornInput(
              HistoryFormat.isCompressed(file) ? new GZIPInputStream(bytes, BUFFER_BYTES) : bytes);
    } catch (IOException e) {
      bytes.close();
      throw new IOException(file + " is no compressed history: " + e.getMessage(), e);
    }
    reader = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8), BUFFER_BYTES);
  }

  public static HistoryReader open(Path file) throws IOException {
    return new HistoryReader(file);
  }

  /**
   * The events in order, each read when it is asked for.
   *
   * @throws UncheckedIOException while they are read, when a line is no event, or not the next one
   */
  public Stream<Event> events() {
    return Stream.generate(this::next).takeWhile(Objects::nonNull);
  }

  /** Null at the end. */
  private Event next() {
    try {
      String line = reader.readLine();
      if (line == null) {
        truncated |= input.torn;
        return null;
      }
      lines++;
      return parse(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Null when it is the last line, and has no end. */
  private Event parse(String line) throws IOException {
    Event event;
    try {
      event = HistoryFormat.READER.readValue(line);
    } catch (JsonProcessingException e) {
      if (isLast() && input.lastByte != '\n') {
        truncated = true;
        return null;
      }
      throw unreadable(e.getOriginalMessage().lines().findFirst().orElse("no event"), e);
    }
    if (event == null || event.line() != lines) {
      throw unreadable("it has the event %d".formatted(event == null ? 0 : event.line()), null);
    }
    return event;
  }

  private boolean isLast() throws IOException {
    reader.mark(1);
    if (reader.read() < 0) {
      return true;
    }
    reader.reset();
    return false;
  }

  private IOException unreadable(String why, Exception cause) {
    return new IOException("Line %d of %s is not readable: %s".formatted(lines, file, why), cause);
  }

  /** Whether the last line was left out; known once all events were read. */
  public boolean isTruncated() {
    return truncated;
  }

  /** How many lines were read so far. */
  public long lines() {
    return lines;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  /** Takes the missing end of a compressed file for its end, and knows how that looks. */
  private static final class TornInput extends FilterInputStream {
    private int lastByte = '\n';
    private boolean torn;

    TornInput(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int count;
      try {
        count = super.read(bytes, offset, length);
      } catch (EOFException e) {
        torn = true;
        return -1;
      }
      if (count > 0) {
        lastByte = bytes[offset + count - 1];
      }
      return count;
    }
  }
}
