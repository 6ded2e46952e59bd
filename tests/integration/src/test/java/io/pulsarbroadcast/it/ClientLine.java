/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The stock Java client of one line, and what is to be tried with it, apart from the client of the
 * tests: its own classes come first. With {@code -Pcomplete} the build of client-ext gets the
 * clients.
 */
final class ClientLine extends URLClassLoader {

  private static final Path CLIENTS = Path.of(System.getProperty("client.lines", ""));

  private ClientLine(URL[] urls) {
    super(urls, ClientLine.class.getClassLoader());
  }

  /** With the classes in these folders, which are loaded anew. */
  static ClientLine of(String version, Path... classes) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (Path folder : classes) {
      assertThat(folder).isDirectory();
      urls.add(folder.toUri().toURL());
    }
    for (Path jar : jars(version)) {
      urls.add(jar.toUri().toURL());
    }
    ClientLine line = new ClientLine(urls.toArray(URL[]::new));
    assertThat(
            line.loadClass("org.apache.pulsar.PulsarVersion").getMethod("getVersion").invoke(null))
        .as("the client's version")
        .isEqualTo(version);
    return line;
  }

  /** The classes of the client extension. */
  static Path extension() {
    return CLIENTS.resolveSibling("classes");
  }

  private static List<Path> jars(String version) throws IOException {
    try (Stream<Path> jars = Files.list(CLIENTS.resolve(version))) {
      return jars.toList();
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try {
        return findClass(name);
      } catch (ClassNotFoundException e) {
        if (name.startsWith("org.apache.pulsar.")) {
          // What this client lacks, that of the tests may have.
          throw e;
        }
        return super.loadClass(name, resolve);
      }
    }
  }
}
