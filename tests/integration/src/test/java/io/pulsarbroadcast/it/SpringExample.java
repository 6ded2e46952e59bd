/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.ProcessExit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The packaged application of docs/examples/spring, running on a broker. */
final class SpringExample implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String RECEIVED = "received ";

  private final Process process;
  private final Path output;

  private SpringExample(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts it.
   *
   * @param settings properties of Spring Boot, {@code KEY=VALUE} each
   */
  static SpringExample start(Broker broker, Path folder, String... settings) throws IOException {
    Path output = Files.createTempFile(folder, "spring-example", ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(AdminTool.LIGHT_JVM.split(" ")));
    command.addAll(List.of("-jar", System.getProperty("spring.example.jar")));
    command.add("--spring.pulsar.client.service-url=" + broker.process().serviceUrl());
    Stream.of(settings).map("--"::concat).forEach(command::add);
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new SpringExample(process, output);
  }

  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until its listener has had at least so many messages, and returns all it had. */
  List<String> received(int count) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> assertThat(received()).as(this::output).hasSizeGreaterThanOrEqualTo(count));
    return received();
  }

  List<String> received() {
    return output()
        .lines()
        .filter(line -> line.startsWith(RECEIVED))
        .map(line -> line.substring(RECEIVED.length()))
        .toList();
  }

  /** Waits until it ends by itself. */
  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).as(this::output).isTrue();
    return process.exitValue();
  }

  /** Ends it as a service manager would. */
  @Override
  public void close() {
    process.destroy();
    ProcessExit.await(process);
  }
}
