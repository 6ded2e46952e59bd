/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Small disks in memory, which outlive the container that has them. One thread may call it; they go
 * with the JVM, too.
 */
final class Disks implements AutoCloseable {
  private static final String FILLER = "filler";
  private static final int CHUNK_BYTES = 1 << 16;

  private final Path folder;
  private final List<Path> mounted = new ArrayList<>();
  private final Thread hook = new Thread(this::remove, "nemesis-disks");

  Disks() throws IOException {
    folder = Files.createTempDirectory("nemesis-disks");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Makes one. */
  Path create(String name, long megabytes) throws IOException, InterruptedException {
    Path disk = folder.resolve(name);
    List<String> mount =
        List.of(
            "mount",
            "-t",
            "tmpfs",
            "-o",
            "mode=777,size=" + megabytes + "m",
            "tmpfs",
            disk.toString());
    synchronized (mounted) {
      Files.createDirectory(disk);
      HostCommand.run(mount);
      mounted.add(disk);
    }
    return disk;
  }

  /** Leaves no room on it. */
  void fill(String name) throws IOException {
    Path disk = folder.resolve(name);
    byte[] chunk = new byte[CHUNK_BYTES];
    try (OutputStream out = Files.newOutputStream(disk.resolve(FILLER))) {
      while (Files.getFileStore(disk).getUsableSpace() > 0) {
        out.write(chunk);
      }
    } catch (IOException e) {
      if (Files.getFileStore(disk).getUsableSpace() > 0) {
        throw e;
      }
    }
  }

  /** Undoes that. */
  void free(String name) throws IOException {
    Files.deleteIfExists(folder.resolve(name).resolve(FILLER));
  }

  private void remove() {
    synchronized (mounted) {
      mounted.forEach(Disks::unmount);
      mounted.clear();
      try (Stream<Path> disks = Files.list(folder)) {
        for (Path disk : disks.toList()) {
          Files.delete(disk);
        }
        Files.delete(folder);
      } catch (IOException e) {
        System.err.println("Left behind: " + e.getMessage());
      }
    }
  }

  private static void unmount(Path disk) {
    try {
      HostCommand.run(List.of("umount", "-l", disk.toString()));
    } catch (IOException e) {
      System.err.println(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
      remove();
    } catch (IllegalStateException e) {
      // The JVM is ending, and the hook does it.
    }
  }
}
