/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a history to a file, compressed if its name ends with {@code .gz}. Any thread may call it;
 * events are numbered in the order of the calls.
 */
public final class HistoryWriter implements Closeable {
  private static final int BUFFER_BYTES = 1 << 16;

  /** Makes an event of its number and time. */
  @FunctionalInterface
  public interface Recorded {
    Event at(long line, long micros);
  }

  private final long startNanos = System.nanoTime();
  private final OutputStream out;
  private long lines;
  private Exception failure;
  private boolean closed;

  private HistoryWriter(OutputStream out) {
    this.out = out;
  }

  /** Replaces the file if it is there already. */
  public static HistoryWriter create(Path file) throws IOException {
    OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES);
    return new HistoryWriter(
        HistoryFormat.isCompressed(file) ? new GZIPOutputStream(out, BUFFER_BYTES) : out);
  }

  /**
   * Writes one event; nothing once it is closed. If that fails, {@link #close()} says so, and
   * nothing more is written.
   */
  public synchronized void write(Recorded event) {
    if (closed || failure != null) {
      return;
    }
    try {
      HistoryFormat.WRITER.writeValue(out, event.at(++lines, micros()));
      out.write('\n');
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
  }

  /** The time of an event that is written now. */
  public long micros() {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos);
  }

  /**
   * Ends the file.
   *
   * @throws IOException when an event could not be written
   */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      out.close();
    }
    if (failure != null) {
      throw new IOException("The history could not be written: " + failure.getMessage(), failure);
    }
  }
}
