/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A packaged application of docs/examples, running on a broker. */
final class SpringExample {
  /** What its listener prints before each message. */
  static final String RECEIVED = "received ";

  private SpringExample() {}

  /**
   * Starts that of docs/examples/spring.
   *
   * @param settings properties of Spring Boot, {@code KEY=VALUE} each
   */
  static StartedProgram start(Broker broker, Path folder, String... settings) throws IOException {
    return start(System.getProperty("spring.example.jar"), broker, folder, settings);
  }

  /** The same with that of docs/examples/spring-reactive. */
  static StartedProgram startReactive(Broker broker, Path folder, String... settings)
      throws IOException {
    return start(System.getProperty("spring.reactive.example.jar"), broker, folder, settings);
  }

  private static StartedProgram start(String jar, Broker broker, Path folder, String... settings)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(AdminTool.LIGHT_JVM.split(" ")));
    command.addAll(List.of("-jar", jar));
    command.add("--spring.pulsar.client.service-url=" + broker.process().serviceUrl());
    Stream.of(settings).map("--"::concat).forEach(command::add);
    return StartedProgram.start(new ProcessBuilder(command).directory(folder.toFile()), folder);
  }
}
