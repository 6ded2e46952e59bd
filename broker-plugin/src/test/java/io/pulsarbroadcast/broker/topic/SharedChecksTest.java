/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SharedChecksTest {

  private final List<String> begun = new ArrayList<>();
  private final List<CompletableFuture<Void>> ends = new ArrayList<>();
  private final SharedChecks<Integer> checks = new SharedChecks<>(this::check);
  private final List<Set<Integer>> asked = new ArrayList<>();

  private CompletableFuture<?> check(String name, Set<Integer> asking) {
    begun.add(name);
    asked.add(asking);
    ends.add(new CompletableFuture<>());
    return ends.get(ends.size() - 1);
  }

  @Test
  void shouldCheckAgainOnceForAllWhoAskDuringACheck() {
    CompletableFuture<Void> first = checks.ask("a", 1);
    List<CompletableFuture<Void>> during =
        List.of(checks.ask("a", 2), checks.ask("a", 3), checks.ask("a", 2));
    assertThat(begun).as("one at a time").containsExactly("a");

    ends.get(0).complete(null);
    assertThat(first).isCompleted();
    assertThat(begun).as("one more for all three").containsExactly("a", "a");
    assertThat(during)
        .as("what they are told is found out after they asked")
        .noneMatch(CompletableFuture::isDone);
    assertThat(asked).containsExactly(Set.of(1), Set.of(2, 3));
    CompletableFuture<Void> later = checks.ask("a", 1);

    ends.get(1).complete(null);
    assertThat(during).allMatch(CompletableFuture::isDone);
    assertThat(later).isNotDone();
    ends.get(2).complete(null);
    assertThat(later).isCompleted();
    assertThat(begun).hasSize(3);
  }

  @Test
  void shouldCheckAtOnceWhenNoCheckIsUnderWay() {
    checks.ask("a", 1);
    checks.ask("b", 1);
    assertThat(begun).as("names do not wait for one another").containsExactly("a", "b");
    ends.get(0).complete(null);
    checks.ask("a", 1);
    assertThat(begun).as("nor for a check that has ended").containsExactly("a", "b", "a");
  }

  @Test
  void shouldBearThatSomebodyAsksDuringEachOfVeryManyChecksThatEndAtOnce() {
    int many = 100_000;
    CompletableFuture<?>[] last = new CompletableFuture<?>[1];
    AtomicInteger count = new AtomicInteger();
    AtomicReference<SharedChecks<Integer>> atOnce = new AtomicReference<>();
    atOnce.set(
        new SharedChecks<>(
            (name, asking) -> {
              if (count.incrementAndGet() <= many) {
                last[0] = atOnce.get().ask(name, 1);
              }
              return CompletableFuture.completedFuture(null);
            }));

    assertThat(atOnce.get().ask("a", 1)).isCompleted();
    assertThat(last[0]).isCompleted();
    assertThat(count).hasValue(many + 1);
  }

  @Test
  void shouldGoOnAfterACheckThatFails() {
    CompletableFuture<Void> first = checks.ask("a", 1);
    CompletableFuture<Void> second = checks.ask("a", 1);
    ends.get(0).completeExceptionally(new IllegalStateException("planned"));
    assertThat(first).isCompleted();
    ends.get(1).complete(null);
    assertThat(second).isCompleted();

    SharedChecks<Integer> throwing =
        new SharedChecks<>(
            (name, asking) -> {
              throw new IllegalStateException("planned");
            });
    assertThat(throwing.ask("a", 1)).isCompleted();
    assertThat(throwing.ask("a", 1)).isCompleted();
  }
}
