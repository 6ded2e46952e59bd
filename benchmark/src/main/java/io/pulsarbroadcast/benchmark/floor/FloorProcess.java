/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import io.pulsarbroadcast.benchmark.server.LoadServer;
import io.pulsarbroadcast.process.ProcessExit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A {@link FloorServer} in a JVM of its own, with the options that {@code bin/pulsar} gives a
 * broker. One thread at a time may call it.
 */
public final class FloorProcess implements LoadServer {
  /** What of a broker's options matters to Netty and to memory. */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-XX:+UseZGC",
          "-XX:+PerfDisableSharedMem",
          "-XX:+AlwaysPreTouch",
          "-Djava.net.preferIPv4Stack=true",
          "-Dio.netty.tryReflectionSetAccessible=true",
          "-Dio.netty.recycler.maxCapacityPerThread=4096",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
          "-Xms256m");

  private final Process process;
  private final String serviceUrl;

  private FloorProcess(Process process, String serviceUrl) {
    this.process = process;
    this.serviceUrl = serviceUrl;
  }

  /**
   * Starts it and returns when it listens.
   *
   * @param heapMegabytes as the broker has
   * @param directMegabytes as the broker has
   */
  public static FloorProcess start(int heapMegabytes, int directMegabytes) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_OPTIONS);
    command.add("-Xmx" + heapMegabytes + "m");
    command.add("-XX:MaxDirectMemorySize=" + directMegabytes + "m");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(FloorMain.class.getName());
    Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String url = output.readLine();
    while (url != null && !url.startsWith("pulsar://")) {
      // A warning of the JVM.
      url = output.readLine();
    }
    if (url == null) {
      throw new IOException("The floor's process ended at once: " + String.join(" ", command));
    }
    return new FloorProcess(process, url);
  }

  @Override
  public String serviceUrl() {
    return serviceUrl;
  }

  @Override
  public Optional<ProcessHandle> process() {
    return Optional.of(process.toHandle());
  }

  @Override
  public void close() {
    process.destroy();
    ProcessExit.await(process);
  }
}
