/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The broker that a workload runs on: started here, or one that runs. One thread may call it. */
final class WorkloadBroker implements AutoCloseable {
  private final String serviceUrl;
  private final PulsarProcess process;

  private WorkloadBroker(String serviceUrl, PulsarProcess process) {
    this.serviceUrl = serviceUrl;
    this.process = process;
  }

  static WorkloadBroker running(String serviceUrl) {
    return new WorkloadBroker(serviceUrl, null);
  }

  /** Starts one with the lines of configuration that the driver file asks for. */
  static WorkloadBroker start(OwnBroker own, DriverFile driver, Path keepLogs)
      throws IOException, InterruptedException {
    PulsarProcessBuilder builder =
        PulsarProcess.builder()
            .pulsarHome(own.pulsarHome())
            .nar(own.nar())
            .heapMegabytes(own.heapMegabytes())
            .directMegabytes(own.directMegabytes())
            .keepLogs(keepLogs)
            .name("workload");
    driver.brokerSettings().forEach(builder::setting);
    PulsarProcess process = builder.build();
    try {
      process.start();
      return new WorkloadBroker(process.serviceUrl(), process);
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  String serviceUrl() {
    return serviceUrl;
  }

  /** True when it was started here and goes away afterwards. */
  boolean isOwn() {
    return process != null;
  }

  /** Empty when it was not started here. */
  Optional<ProcessHandle> processHandle() {
    return process == null ? Optional.empty() : ProcessHandle.of(process.pid());
  }

  @Override
  public void close() throws IOException {
    if (process != null) {
      process.close();
    }
  }
}
