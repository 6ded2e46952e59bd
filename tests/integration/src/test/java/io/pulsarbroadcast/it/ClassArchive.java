/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.benchmark.server.Jcmd;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A class data archive (CDS, JEP 350) of the classes of a line's brokers. With it one starts in a
 * third less processor time. A broker that is shared records the classes, and at its end the
 * archive is made for those that are started after it; where a JVM can do neither, nothing changes.
 * Any thread may call it.
 */
final class ClassArchive {
  private static final String RECORD = "-XX:+RecordDynamicDumpInfo";

  private final Path file;
  private final boolean usable;
  private final boolean recordable;

  private ClassArchive(Path file, boolean usable, boolean recordable) {
    this.file = file;
    this.usable = usable;
    this.recordable = recordable;
  }

  /** That of this line, and of the Java that runs this; a file that is damaged is deleted. */
  static ClassArchive in(Path folder, String line) {
    Path file = folder.resolve("%s-on-java-%s.jsa".formatted(line, Runtime.version()));
    // Pulsar's script divides its options at spaces.
    boolean possible = !file.toString().contains(" ");
    boolean usable = possible && Files.exists(file) && isAccepted(option(file));
    try {
      if (!usable) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ClassArchive(file, usable, possible && !usable && isAccepted(RECORD));
  }

  private static String option(Path file) {
    return "-XX:SharedArchiveFile=" + file;
  }

  /**
   * Options of a program that is run several times, one after the other, with one class path: the
   * first makes the archive when it ends. What a JVM says of that, or from 25 on of an archive that
   * does not fit, would be among what the program prints.
   */
  static String madeByTheFirst(Path file) {
    String archive = Files.exists(file) ? option(file) : "-XX:ArchiveClassesAtExit=" + file;
    return archive + " -Xlog:disable";
  }

  /** A JVM does not start with an archive that is cut off, nor records without its own archive. */
  private static boolean isAccepted(String option) {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    try {
      return new ProcessBuilder(java.toString(), option, "-version")
              // Where a JVM that crashes leaves its report.
              .directory(new File(System.getProperty("java.io.tmpdir")))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void use(PulsarProcessBuilder broker) {
    if (usable) {
      broker.jarsInPlace().jvmOption(option(file));
    }
  }

  void record(PulsarProcessBuilder broker) {
    if (recordable) {
      broker.jarsInPlace().jvmOption(RECORD);
    }
  }

  /** Makes the archive of what this broker has loaded, if it has recorded that. */
  void writeFrom(PulsarProcess broker) throws IOException {
    if (!broker.hasJvmOption(RECORD) || !broker.isAlive()) {
      return;
    }
    Files.createDirectories(file.getParent());
    Path unfinished = file.resolveSibling(file.getFileName() + "." + broker.pid());
    new Jcmd(ProcessHandle.of(broker.pid()).orElseThrow())
        .run("VM.cds", "dynamic_dump", unfinished.toString());
    // If the JVM has refused, which it only says, there is no archive and nothing is faster.
    if (Files.exists(unfinished)) {
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
