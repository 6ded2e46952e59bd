/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What load is put on. One thread at a time may call it. */
public interface LoadServer extends AutoCloseable {
  String serviceUrl();

  /** Its process, for its CPU time; empty when it is not one of ours. */
  Optional<ProcessHandle> process();

  /** True when it was started for the load, so that nothing has to be cleaned up. */
  default boolean isOwn() {
    return true;
  }

  /** The plugin's stage timers of topics since they were loaded; none where there is no plugin. */
  default StageTimers timers(List<String> topics) throws IOException, InterruptedException {
    return StageTimers.NONE;
  }

  /** Lets it drop everything it keeps of a topic that is not needed any more. */
  default void forget(String topic) throws IOException, InterruptedException {}

  @Override
  void close() throws IOException;
}
