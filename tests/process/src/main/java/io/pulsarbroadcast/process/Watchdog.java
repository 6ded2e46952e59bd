/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A small shell process that cleans up when this JVM ends without running its shutdown hooks. Any
 * thread may call it.
 *
 * <p>It reads from a pipe whose other end only this JVM holds. The pipe ends with the JVM, however
 * that ends (SIGKILL, or a build tool that halts a test JVM); then the shell kills the broker and
 * deletes the instance folder, itself included.
 */
final class Watchdog {
  private final Process shell;

  private Watchdog(Process shell) {
    this.shell = shell;
  }

  /** Starts the shell; the script is put into the watched folder. */
  static Watchdog over(Path folder) throws IOException {
    Path script = folder.resolve("watchdog.sh");
    try (InputStream resource = Watchdog.class.getResourceAsStream("watchdog.sh")) {
      Files.copy(resource, script);
    }
    return new Watchdog(
        new ProcessBuilder("sh", script.toString(), folder.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** The process to kill from now on. */
  void watch(long pid) {
    tell("pid " + pid);
  }

  /** That process has ended; its id may come to belong to another one. */
  void processGone() {
    tell("gone");
  }

  /** Everything is cleaned up: the shell ends and does nothing. */
  void dismiss() {
    tell("done");
    try {
      shell.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the end of this JVM does to the pipe. */
  void breakPipe() throws IOException {
    shell.getOutputStream().close();
  }

  private synchronized void tell(String line) {
    OutputStream pipe = shell.getOutputStream();
    try {
      pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
      pipe.flush();
    } catch (IOException e) {
      // The shell is gone, so there is no one to tell; the shutdown hook still cleans up.
    }
  }
}
