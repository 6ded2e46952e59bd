/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import io.pulsarbroadcast.benchmark.load.RunListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Records a server's JVM with JFR while messages are timed, and leaves the recording and a summary
 * of it as text. Called by the thread that executes the run; hands everything on to the listener
 * that shows progress.
 */
public final class FlightRecording implements RunListener {
  private static final String RECORDING = "bench";
  private static final String SETTINGS = "profile";

  private final RunListener next;
  private final Jcmd jcmd;
  private final Path folder;
  private final String name;
  private int recordings;

  /** Files are called {@code name-1.jfr}, {@code name-1-jfr.txt}, {@code name-2.jfr} and so on. */
  public FlightRecording(RunListener next, ProcessHandle server, Path folder, String name) {
    this.next = next;
    this.jcmd = new Jcmd(server);
    this.folder = folder;
    this.name = name;
  }

  @Override
  public void measuringStarted() {
    recordings++;
    jcmd("JFR.start", "name=" + RECORDING, "settings=" + SETTINGS);
    next.measuringStarted();
  }

  @Override
  public void measuringEnded() {
    next.measuringEnded();
    String recording = name + "-" + recordings;
    Path file = folder.resolve(recording + ".jfr").toAbsolutePath();
    jcmd("JFR.stop", "name=" + RECORDING, "filename=" + file);
    try {
      Files.writeString(folder.resolve(recording + "-jfr.txt"), FlightSummary.of(file).text());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void jcmd(String... command) {
    try {
      jcmd.run(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void phaseStarted(String phase, long total) {
    next.phaseStarted(phase, total);
  }

  @Override
  public void progress(long done) {
    next.progress(done);
  }

  @Override
  public void phaseEnded() {
    next.phaseEnded();
  }
}
