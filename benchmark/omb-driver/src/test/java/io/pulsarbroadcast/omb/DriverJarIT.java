/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** The packaged jar, as it goes onto OpenMessaging Benchmark's class path. */
class DriverJarIT {
  private static final int CLASS_VERSION_OF_JAVA_11 = 55;
  private static final Path JAR = Path.of(System.getProperty("omb.driver.jar"));

  private static List<String> entries() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return jar.stream()
          .filter(entry -> !entry.isDirectory())
          .map(ZipEntry::getName)
          .collect(Collectors.toList());
    }
  }

  @Test
  void shouldHaveClassesOfItsOwnPackageOnly() throws IOException {
    assertThat(entries().stream().filter(name -> name.endsWith(".class")))
        .isNotEmpty()
        .allMatch(name -> name.startsWith("io/pulsarbroadcast/"))
        .contains("io/pulsarbroadcast/omb/BroadcastBenchmarkDriver.class");
  }

  @Test
  void shouldHaveNoFileThatCouldShadowOneOfOpenMessagingBenchmark() throws IOException {
    assertThat(entries())
        .filteredOn(name -> !name.startsWith("io/pulsarbroadcast/"))
        .allMatch(
            name ->
                name.matches("META-INF/(MANIFEST.MF|LICENSE.*|NOTICE.*|DEPENDENCIES)")
                    || name.matches("META-INF/license/.*")
                    || name.equals("META-INF/io.netty.versions.properties")
                    || name.matches("META-INF/services/io\\.pulsarbroadcast\\..*")
                    || name.matches("META-INF/native/libio_pulsarbroadcast_.*"));
  }

  @Test
  void shouldRunOnTheJavaThatTheGuideNames() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      for (ZipEntry entry : jar.stream().collect(Collectors.toList())) {
        if (entry.getName().endsWith(".class")) {
          DataInputStream in = new DataInputStream(jar.getInputStream(entry));
          in.skipBytes(6);
          assertThat(in.readUnsignedShort())
              .as(entry.getName())
              .isLessThanOrEqualTo(CLASS_VERSION_OF_JAVA_11);
        }
      }
    }
  }

  @Test
  void shouldReferToOpenMessagingBenchmarkByItsOwnNames() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile());
        InputStream in =
            jar.getInputStream(
                jar.getEntry("io/pulsarbroadcast/omb/BroadcastBenchmarkDriver.class"))) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      in.transferTo(bytes);
      assertThat(bytes.toString(StandardCharsets.ISO_8859_1))
          .contains("io/openmessaging/benchmark/driver/BenchmarkDriver")
          .contains("org/apache/bookkeeper/stats/StatsLogger")
          .doesNotContain("org/apache/pulsar/client");
    }
  }

  @Test
  void shouldFindPulsarsAuthenticationPluginsUnderTheNamesThatUsersKnow() throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {JAR.toUri().toURL()}, getClass().getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.pulsarbroadcast.")) {
              Class<?> loaded = findLoadedClass(name);
              return loaded != null ? loaded : findClass(name);
            }
            return super.loadClass(name, resolve);
          }
        }) {
      Method inThisJar =
          loader
              .loadClass("io.pulsarbroadcast.omb.Clients")
              .getDeclaredMethod("inThisJar", String.class);
      inThisJar.setAccessible(true);

      Object name =
          inThisJar.invoke(null, "org.apache.pulsar.client.impl.auth.AuthenticationToken");

      assertThat(loader.loadClass((String) name).getSimpleName()).isEqualTo("AuthenticationToken");
      assertThat(inThisJar.invoke(null, "com.example.Mine")).isEqualTo("com.example.Mine");
    }
  }
}
