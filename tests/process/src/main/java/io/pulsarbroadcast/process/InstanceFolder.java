/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The folder one broker runs in, set up as an operator sets up a Pulsar home. One thread at a time
 * may call it.
 *
 * <p>{@code bin/} and {@code conf/} are copies, {@code lib/} is a link into the distribution, which
 * is never written to. Data, logs, unpacked NARs and temporary files (RocksDB and Netty put native
 * libraries there) are inside, so that deleting the folder deletes everything.
 */
final class InstanceFolder {
  static final String INTERCEPTOR_NAME = "pulsar-broadcast";
  private static final String LOG_CONFIGURATION_OF_CLASS_PATH = "conf/log4j2.xml";
  private static final String NAR_GLOB = "pulsar-broadcast-*.nar";
  private static final List<String> LINKED = List.of("lib", "instances");

  private final Path root;
  private final String brokerConf;

  private InstanceFolder(Path root, String brokerConf) {
    this.root = root;
    this.brokerConf = brokerConf;
  }

  /** Fills an empty folder; {@code withDistribution} is false when only conf/ is taken from it. */
  static InstanceFolder fill(Path root, Path pulsarHome, boolean withDistribution)
      throws IOException {
    return fill(root, pulsarHome, withDistribution, "standalone.conf");
  }

  /** The same with the file of conf/ that has the broker's settings. */
  static InstanceFolder fill(
      Path root, Path pulsarHome, boolean withDistribution, String brokerConf) throws IOException {
    InstanceFolder folder = new InstanceFolder(root, brokerConf);
    for (Path path :
        List.of(folder.logs(), folder.temp(), folder.interceptors(), folder.extractedNars())) {
      Files.createDirectories(path);
    }
    Folders.copy(pulsarHome.resolve("conf"), root.resolve("conf"));
    if (withDistribution) {
      Folders.copy(pulsarHome.resolve("bin"), root.resolve("bin"));
      for (String name : LINKED) {
        if (Files.exists(pulsarHome.resolve(name))) {
          Files.createSymbolicLink(root.resolve(name), pulsarHome.resolve(name).toRealPath());
        }
      }
    } else {
      try (InputStream resource = InstanceFolder.class.getResourceAsStream("log4j2.xml")) {
        Files.copy(resource, root.resolve(LOG_CONFIGURATION_OF_CLASS_PATH));
      }
    }
    return folder;
  }

  /** Empties {@code lib/}, for a start whose class path names the distribution's. */
  void unlinkJars() throws IOException {
    Files.delete(root.resolve("lib"));
    Files.createDirectory(root.resolve("lib"));
  }

  /** Changes the broker's settings. */
  void configure(Map<String, String> settings) throws IOException {
    ConfFile.edit(brokerConf(), conf -> conf.putAll(settings));
  }

  /** Takes a line out of the broker's settings. */
  void removeSetting(String key) throws IOException {
    ConfFile.edit(brokerConf(), conf -> conf.remove(key));
  }

  /** The two steps of the install guide: the file, and the line. */
  void installNar(Path nar) throws IOException {
    deleteNars();
    Files.copy(nar, interceptors().resolve(nar.getFileName().toString()));
    configure(Map.of("brokerInterceptors", INTERCEPTOR_NAME));
  }

  /** The same two steps backwards. */
  void removeNar() throws IOException {
    deleteNars();
    removeSetting("brokerInterceptors");
  }

  private void deleteNars() throws IOException {
    try (DirectoryStream<Path> nars = Files.newDirectoryStream(interceptors(), NAR_GLOB)) {
      for (Path nar : nars) {
        Files.delete(nar);
      }
    }
  }

  Path root() {
    return root;
  }

  Path brokerConf() {
    return root.resolve("conf").resolve(brokerConf);
  }

  /** For a broker that is started from a class path, what may lack the appenders of the other. */
  Path logConfiguration() {
    Path ofClassPath = root.resolve(LOG_CONFIGURATION_OF_CLASS_PATH);
    return Files.exists(ofClassPath) ? ofClassPath : root.resolve("conf/log4j2.yaml");
  }

  Path interceptors() {
    return root.resolve("interceptors");
  }

  Path extractedNars() {
    return root.resolve("extracted-nars");
  }

  Path logs() {
    return root.resolve("logs");
  }

  Path logFile() {
    return logs().resolve("pulsar.log");
  }

  Path temp() {
    return root.resolve("tmp");
  }
}
