/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.floor.FloorProcess;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The floor as a server that load is put on. One thread at a time may call it. */
public final class FloorLoadServer implements LoadServer {
  private final FloorProcess floor;

  private FloorLoadServer(FloorProcess floor) {
    this.floor = floor;
  }

  /** Starts it with as much memory as the broker has. */
  public static FloorLoadServer start(int heapMegabytes, int directMegabytes) throws IOException {
    return new FloorLoadServer(FloorProcess.start(heapMegabytes, directMegabytes));
  }

  @Override
  public String serviceUrl() {
    return floor.serviceUrl();
  }

  @Override
  public Optional<ProcessHandle> process() {
    return Optional.of(floor.handle());
  }

  @Override
  public boolean isOwn() {
    return true;
  }

  @Override
  public StageTimers timers(List<String> topics) {
    return StageTimers.NONE;
  }

  @Override
  public void forget(String topic) {
    // It keeps nothing.
  }

  @Override
  public void close() {
    floor.close();
  }
}
