/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Something that is checked of a name, one check of it at a time. Those who ask during a check
 * share the next one: n who come at once do not cause n checks, and what each is answered was found
 * out after it asked. May be called from any thread.
 *
 * @param <A> who ask
 */
final class SharedChecks<A> {

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** As long as clients wait for a subscribe: what never ends holds up nobody who comes later. */
  private static final int MAX_SECONDS = 30;

  /** A check that has not begun, or is under way. */
  private static final class Check<A> {
    final Set<A> asking = new HashSet<>();
    final CompletableFuture<Void> ended = new CompletableFuture<>();
  }

  private final BiFunction<String, Set<A>, CompletableFuture<?>> action;

  /** By names of which a check is under way: the next one, if somebody has asked for it. */
  @GuardedBy("this")
  private final Map<String, Optional<Check<A>>> next = new HashMap<>();

  /**
   * @param action begins a check of a name for those who ask, on any thread
   */
  SharedChecks(BiFunction<String, Set<A>, CompletableFuture<?>> action) {
    this.action = action;
  }

  /**
   * Completed, on any thread, when a check that began after this has ended, failed or taken too
   * long.
   */
  CompletableFuture<Void> ask(String name, A asking) {
    Check<A> check;
    synchronized (this) {
      Optional<Check<A>> known = next.get(name);
      check = known == null ? new Check<>() : known.orElseGet(Check::new);
      check.asking.add(asking);
      next.put(name, known == null ? Optional.empty() : Optional.of(check));
      if (known != null) {
        return check.ended;
      }
    }
    begin(name, check);
    return check.ended;
  }

  /** A loop, for checks that end at once. */
  private void begin(String name, Check<A> first) {
    Optional<Check<A>> due = Optional.of(first);
    while (due.isPresent()) {
      Check<A> check = due.get();
      CompletableFuture<?> checked =
          DONE.thenCompose(begun -> action.apply(name, check.asking))
              .orTimeout(MAX_SECONDS, TimeUnit.SECONDS);
      if (!checked.isDone()) {
        checked.whenComplete(
            (done, e) -> ended(name, check).ifPresent(following -> begin(name, following)));
        return;
      }
      due = ended(name, check);
    }
  }

  /** The check that is to begin now. */
  private Optional<Check<A>> ended(String name, Check<A> check) {
    Optional<Check<A>> following;
    synchronized (this) {
      following = next.remove(name);
      if (following.isPresent()) {
        next.put(name, Optional.empty());
      }
    }
    check.ended.complete(null);
    return following;
  }
}
