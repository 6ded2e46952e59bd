/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.Stream;

/** Copies and deletes folders. Any thread may call it. */
public final class Folders {
  private static final int DELETE_ATTEMPTS = 5;

  private Folders() {}

  /** Copies a folder with everything in it, keeping the executable bits. */
  public static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(
              path,
              target,
              StandardCopyOption.COPY_ATTRIBUTES,
              StandardCopyOption.REPLACE_EXISTING);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Deletes a folder with everything in it and follows no symbolic link. Tries again when something
   * is still being written there.
   */
  public static void delete(Path folder) throws IOException {
    for (int attempt = 1; Files.exists(folder); attempt++) {
      try (Stream<Path> paths = Files.walk(folder)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
      } catch (IOException | UncheckedIOException e) {
        if (attempt == DELETE_ATTEMPTS) {
          throw new IOException("Cannot delete " + folder + ": " + e, e);
        }
      }
    }
  }
}
