/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import java.io.IOException;

/** A process on this machine that load is put on. One thread at a time may call it. */
public interface LoadServer extends AutoCloseable {
  /** As it stands in tables. */
  String name();

  String serviceUrl();

  /** Its process, for its CPU time. */
  ProcessHandle process();

  /** Lets it drop everything it keeps of a topic that is not needed any more. */
  void forget(String topic) throws IOException;

  @Override
  void close() throws IOException;
}
