/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.pulsar.client.api.PulsarClientException;

/** Waits for futures as the blocking methods of Pulsar's client do. Stateless; from any thread. */
final class Blocking {
  private Blocking() {}

  /**
   * The result of a future. When the thread is interrupted, it stays so, and what the future
   * results in later goes to {@code tooLate}.
   */
  static <T> T await(CompletableFuture<T> future, Consumer<T> tooLate)
      throws PulsarClientException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.thenAccept(tooLate);
      Thread.currentThread().interrupt();
      throw new PulsarClientException(e);
    } catch (ExecutionException e) {
      throw failureForCaller(e);
    }
  }

  /** The same type of exception with the stack trace of the caller, where Pulsar can do that. */
  private static PulsarClientException failureForCaller(ExecutionException e) {
    Throwable cause = e.getCause();
    if (cause instanceof BroadcastNotSupportedException notSupported) {
      return new BroadcastNotSupportedException(notSupported);
    }
    PulsarClientException failure = PulsarClientException.unwrap(e);
    boolean sameType = failure.getClass() == cause.getClass() && failure.getCause() == null;
    return !sameType && cause instanceof PulsarClientException original ? original : failure;
  }
}
