/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A plugin as a user packages one, made for a test of one source text. Stateless. */
final class TestNar {

  private TestNar() {}

  /**
   * Writes a NAR.
   *
   * @param pulsarHome the distribution against whose jars the source is compiled
   * @param service the descriptor's name in META-INF/services
   */
  static void write(
      Path nar, Path pulsarHome, String className, String source, String service, String descriptor)
      throws IOException {
    Path classes = Files.createTempDirectory(nar.getParent(), "classes");
    compile(className, source, classes, pulsarHome);
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(nar));
        Stream<Path> compiled = Files.list(classes)) {
      for (Path each : compiled.toList()) {
        add(zip, each.getFileName().toString(), Files.readAllBytes(each));
      }
      add(zip, "META-INF/services/" + service, descriptor.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void compile(String className, String source, Path target, Path pulsarHome)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String jars;
    try (Stream<Path> lib = Files.list(pulsarHome.resolve("lib"))) {
      jars = lib.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
    List<String> options = List.of("-d", target.toString(), "-cp", jars, "-proc:none");
    JavaFileObject file =
        new SimpleJavaFileObject(
            URI.create("string:///" + className + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    if (!compiler.getTask(null, null, null, options, null, List.of(file)).call()) {
      throw new IOException(className + " does not compile");
    }
  }

  private static void add(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(bytes);
    zip.closeEntry();
  }
}
