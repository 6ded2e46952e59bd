/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.openmessaging.benchmark.driver;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Signatures only. */
public interface BenchmarkProducer extends AutoCloseable {
  CompletableFuture<Void> sendAsync(Optional<String> key, byte[] payload);
}
