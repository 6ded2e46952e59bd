/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Something that is checked of a name, one check of it at a time. Those who ask during a check
 * share the next one: n who come at once do not cause n checks, and what each is answered was found
 * out after it asked. May be called from any thread.
 */
final class SharedChecks {

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** As long as clients wait for a subscribe: what never ends holds up nobody who comes later. */
  private static final int MAX_SECONDS = 30;

  private final Function<String, CompletableFuture<?>> check;

  /** By names of which a check is under way: for whom the next one is to begin, if for anybody. */
  @GuardedBy("this")
  private final Map<String, Optional<CompletableFuture<Void>>> next = new HashMap<>();

  /**
   * @param check begins a check of a name, on any thread
   */
  SharedChecks(Function<String, CompletableFuture<?>> check) {
    this.check = check;
  }

  /**
   * Completed, on any thread, when a check that began after this has ended, failed or taken too
   * long.
   */
  CompletableFuture<Void> ask(String name) {
    CompletableFuture<Void> answer;
    synchronized (this) {
      Optional<CompletableFuture<Void>> asked = next.get(name);
      answer = asked == null ? new CompletableFuture<>() : asked.orElseGet(CompletableFuture::new);
      next.put(name, asked == null ? Optional.empty() : Optional.of(answer));
      if (asked != null) {
        return answer;
      }
    }
    begin(name, answer);
    return answer;
  }

  /** A loop, for checks that end at once. */
  private void begin(String name, CompletableFuture<Void> first) {
    Optional<CompletableFuture<Void>> asked = Optional.of(first);
    while (asked.isPresent()) {
      CompletableFuture<Void> answer = asked.get();
      CompletableFuture<?> checked =
          DONE.thenCompose(begun -> check.apply(name)).orTimeout(MAX_SECONDS, TimeUnit.SECONDS);
      if (!checked.isDone()) {
        checked.whenComplete(
            (done, e) -> answered(name, answer).ifPresent(following -> begin(name, following)));
        return;
      }
      asked = answered(name, answer);
    }
  }

  /** For whom the next check is to begin. */
  private Optional<CompletableFuture<Void>> answered(String name, CompletableFuture<Void> answer) {
    Optional<CompletableFuture<Void>> following;
    synchronized (this) {
      following = next.remove(name);
      if (following.isPresent()) {
        next.put(name, Optional.empty());
      }
    }
    answer.complete(null);
    return following;
  }
}
