/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.demo;

import io.pulsarbroadcast.benchmark.cli.Progress;
import io.pulsarbroadcast.benchmark.server.BrokerLoadServer;
import io.pulsarbroadcast.process.PulsarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The broker the load goes to: started here, or one that runs. One thread may call it. */
final class DemoBroker implements AutoCloseable {
  private final String serviceUrl;
  private final PulsarProcess process;

  private DemoBroker(String serviceUrl, PulsarProcess process) {
    this.serviceUrl = serviceUrl;
    this.process = process;
  }

  /** Returns when the broker can be used. */
  static DemoBroker open(DemoOptions options, Progress progress)
      throws IOException, InterruptedException {
    if (options.serviceUrl != null) {
      return new DemoBroker(options.serviceUrl, null);
    }
    PulsarProcess process =
        options.broker.process("demo", options.mode() == DemoOptions.Mode.BROADCAST).build();
    DemoBroker broker = new DemoBroker(process.serviceUrl(), process);
    try {
      broker.start(progress);
      return broker;
    } catch (IOException | InterruptedException e) {
      broker.keepLog(options.brokerLog());
      broker.close();
      throw e;
    }
  }

  private void start(Progress progress) throws IOException, InterruptedException {
    BrokerLoadServer.showing(process, progress);
  }

  String serviceUrl() {
    return serviceUrl;
  }

  /** True when it was started here and goes away with the demo. */
  boolean isOwn() {
    return process != null;
  }

  /** The broker's process, or null when it was not started here. */
  ProcessHandle processHandle() {
    return process == null ? null : ProcessHandle.of(process.pid()).orElse(null);
  }

  /** Saves what the broker has logged, which is deleted with it otherwise. */
  void keepLog(Path file) throws IOException {
    if (process != null) {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.copy(process.logFile(), file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Override
  public void close() throws IOException {
    if (process != null) {
      process.close();
    }
  }
}
