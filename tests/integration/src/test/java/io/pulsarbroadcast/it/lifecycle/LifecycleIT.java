/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import static org.assertj.core.api.Assertions.fail;

import io.pulsarbroadcast.it.BrokerExtension;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.lifecycle.Shrinker.Failing;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The contract over a subscription's whole life: random sequences of what consumers, publishers and
 * operators do to a topic leave everybody with what the {@link Oracle} says (I1 to I6).
 *
 * <p>The sequences are the same every time; with {@code -Dlifecycle.first} they are those from that
 * seed on. A failing one is shrunk, and printed with the options that repeat it: {@code
 * -Dlifecycle.seed} alone is the whole sequence, with {@code -Dlifecycle.operations} those of its
 * operations, and {@code -Dlifecycle.times} says how often.
 */
@ExtendWith(BrokerExtension.class)
@Order(1)
class LifecycleIT {

  private static final int SEQUENCES = Integer.getInteger("lifecycle.sequences", 40);
  private static final int AT_ONCE = Integer.getInteger("lifecycle.at.once", 12);
  private static final int SHRUNK = Integer.getInteger("lifecycle.shrunk", 3);
  private static final long PATIENCE_MILLIS = Long.getLong("lifecycle.patience.millis", 120_000);

  /** A tenth of it on two idle cores; what shrinks when sequences differ counts too. */
  private static final long LIMIT_SECONDS = 1_200 + 3L * SEQUENCES;

  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void shouldDoWhatTheOracleSays(Broker broker) throws Exception {
    Queue<Sequence> sequences = new ConcurrentLinkedQueue<>(sequences());
    Queue<Failing> failures = new ConcurrentLinkedQueue<>();
    Namespaces namespaces = new Namespaces(broker);
    SkippedCounts skipped = new SkippedCounts(broker.process());
    ExecutorService workers = Executors.newFixedThreadPool(AT_ONCE);
    try {
      Callable<Void> worker =
          () -> run(new Clients(broker, namespaces, skipped), sequences, failures);
      for (Future<Void> each :
          workers.invokeAll(
              Collections.nCopies(Math.min(AT_ONCE, sequences.size()), worker),
              LIMIT_SECONDS,
              TimeUnit.SECONDS)) {
        each.get();
      }
    } catch (CancellationException e) {
      fail(
          "%d sequences were not begun after %d s, and %d differ",
          sequences.size(), LIMIT_SECONDS, failures.size());
    } finally {
      workers.shutdownNow();
    }
    if (!failures.isEmpty()) {
      fail(
          "%d sequences differ; each can be repeated:%n%s",
          failures.size(),
          String.join(System.lineSeparator(), failures.stream().map(Failing::report).toList()));
    }
  }

  private static Void run(Clients clients, Queue<Sequence> sequences, Queue<Failing> failures)
      throws Exception {
    try (clients) {
      for (Sequence next = sequences.poll(); next != null; next = sequences.poll()) {
        try {
          Runner.run(clients, next, PATIENCE_MILLIS);
        } catch (Difference e) {
          Failing failing = new Failing(next, e);
          System.out.println("lifecycle: " + failing.report());
          failures.add(failures.size() < SHRUNK ? Shrinker.shrunk(clients, failing) : failing);
        }
      }
    }
    return null;
  }

  private static List<Sequence> sequences() {
    Long only = Long.getLong("lifecycle.seed");
    if (only != null) {
      String operations = System.getProperty("lifecycle.operations");
      Sequence sequence =
          operations == null
              ? Sequence.of(only)
              : Sequence.of(only, Stream.of(operations.split(",")).map(Integer::valueOf).toList());
      return Collections.nCopies(Integer.getInteger("lifecycle.times", 1), sequence);
    }
    long first = Long.getLong("lifecycle.first", 0);
    System.out.printf("lifecycle: seeds %d to %d%n", first, first + SEQUENCES - 1);
    return LongStream.range(first, first + SEQUENCES).mapToObj(Sequence::of).toList();
  }
}
