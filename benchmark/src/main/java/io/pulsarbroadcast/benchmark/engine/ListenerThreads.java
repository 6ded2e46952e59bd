/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.client.ListenerExecutors;
import io.pulsarbroadcast.client.OrderedListenerExecutor;
import java.util.Optional;

/** What calls the listeners of a client's consumers. */
public enum ListenerThreads {
  /** The client's own, one for each consumer. */
  client {
    @Override
    Optional<OrderedListenerExecutor> executor(String name) {
      return Optional.empty();
    }
  },
  /** A platform thread for each key that has messages. */
  platform {
    @Override
    Optional<OrderedListenerExecutor> executor(String name) {
      return Optional.of(ListenerExecutors.threads(name, Thread::new).build());
    }
  },
  /** A virtual thread for each key that has messages. */
  virtual {
    @Override
    Optional<OrderedListenerExecutor> executor(String name) {
      return Optional.of(ListenerExecutors.virtualThreads(name).build());
    }
  };

  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

  /** For one consumer; empty when the client needs none. */
  abstract Optional<OrderedListenerExecutor> executor(String name);

  /** Whether this Java has them. */
  public boolean isAvailable() {
    return this != virtual || Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS;
  }
}
