/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.cursor.StoredPosition;
import io.pulsarbroadcast.broker.cursor.StoredPositions;
import io.pulsarbroadcast.broker.ledger.PositionsLogName.Owner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.FutureUtil;

/**
 * What consumers of one subscription have at the source of a shadow topic (PIP-180) and at its
 * other shadow topics, as it is stored there; nothing, unless the source's owner says that a name
 * stands for one position in all of them. May be called from any thread.
 *
 * <p>The logs are read by one read after the other. Who asks meanwhile is answered by the next: so
 * a hundred thousand consumers that come at once do not read one by one.
 */
public final class PositionsElsewhere {

  /** How long somebody waits: less than clients do for a subscribe, so that they learn why. */
  private static final int ANSWER_SECONDS = 10;

  /** How long it may take to find out whether there is anything; less than the above. */
  private static final int LOOK_SECONDS = 5;

  /** How long a read may take, before another one begins anew. */
  private static final int READ_MINUTES = 5;

  /** How long what was read is kept without a question. */
  private static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

  private final PersistentTopic topic;
  private final String subscription;
  private final ShadowGroup group;

  /** Confined to the read under way. */
  private Map<TopicName, ForeignPositions> logs = new HashMap<>();

  /** Null while not known. */
  private volatile Boolean shared;

  private volatile long askedNanos = System.nanoTime();

  @GuardedBy("this")
  private List<Question<?>> waiting = new ArrayList<>();

  @GuardedBy("this")
  private boolean reading;

  /** What is to be found out of what was read, before the next read. */
  private record Question<T>(
      Function<List<Map<String, StoredPosition>>, T> question, CompletableFuture<T> answer) {

    void ask(List<Map<String, StoredPosition>> elsewhere) {
      try {
        answer.complete(question.apply(elsewhere));
      } catch (Throwable e) {
        // Or the reads would end.
        answer.completeExceptionally(e);
      }
    }
  }

  public PositionsElsewhere(PersistentTopic topic, String subscription) {
    this.topic = topic;
    this.subscription = subscription;
    this.group = new ShadowGroup(topic);
  }

  /** Whether it is clear, without a question, that there is nothing. */
  public boolean isNothing() {
    return group.isEachForItself();
  }

  /** Whether a name may stand for one position in all of the topics, as far as is known. */
  public boolean isShared() {
    return !isNothing() && !Boolean.FALSE.equals(shared);
  }

  /**
   * Looks whether a name stands for one position in all of the topics. What was known holds while
   * that cannot be found out; fails as {@link #of} if nothing was.
   */
  public CompletableFuture<Boolean> lookWhetherShared() {
    return group
        .isOne()
        .orTimeout(LOOK_SECONDS, TimeUnit.SECONDS)
        .exceptionallyCompose(this::orAsKnown)
        .thenApply(
            one -> {
              shared = one;
              return one;
            });
  }

  private CompletableFuture<Boolean> orAsKnown(Throwable failure) {
    return shared == null
            || FutureUtil.unwrapCompletionException(failure) instanceof IllegalArgumentException
        ? CompletableFuture.failedFuture(failure)
        : CompletableFuture.completedFuture(shared);
  }

  /** Forgets what was read, if nobody has asked for long. */
  public synchronized void forgetUnused() {
    if (!reading && System.nanoTime() - askedNanos > KEPT_NANOS) {
      logs.clear();
    }
  }

  /**
   * Finds what is stored under a name now.
   *
   * @return fails with an IllegalArgumentException when the source's property is not understood,
   *     with an {@link io.pulsarbroadcast.broker.cursor.UnknownVersionException} when only a newer
   *     version can read it, and otherwise when that may be tried again
   */
  public CompletableFuture<List<StoredPosition>> of(String name) {
    return ask(
        elsewhere ->
            elsewhere.stream()
                .map(positions -> positions.get(name))
                .filter(Objects::nonNull)
                .map(StoredPosition::copy)
                .toList());
  }

  /**
   * How often consumers of each name have come, as the topic says to which one came last.
   *
   * @return fails as {@link #of} does
   */
  public CompletableFuture<Map<String, Integer>> arrivals() {
    return ask(
        elsewhere -> {
          Map<String, Integer> arrivals = new HashMap<>();
          for (Map<String, StoredPosition> positions : elsewhere) {
            positions.forEach(
                (name, position) -> {
                  if (position.arrivals() > 0) {
                    arrivals.merge(name, position.arrivals(), Math::max);
                  }
                });
          }
          return arrivals;
        });
  }

  private <T> CompletableFuture<T> ask(Function<List<Map<String, StoredPosition>>, T> question) {
    askedNanos = System.nanoTime();
    Question<T> asked = new Question<>(question, new CompletableFuture<>());
    boolean idle;
    synchronized (this) {
      waiting.add(asked);
      idle = !reading;
      reading = true;
    }
    if (idle) {
      readNext();
    }
    // The read goes on, for those who ask later.
    return asked.answer.copy().orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS);
  }

  private void readNext() {
    List<Question<?>> asked;
    synchronized (this) {
      asked = waiting;
      waiting = new ArrayList<>();
      reading = !asked.isEmpty();
    }
    if (asked.isEmpty()) {
      return;
    }
    CompletableFuture.completedFuture(null)
        // What it throws is told as what it answers is.
        .thenCompose(begun -> read(logs).orTimeout(READ_MINUTES, TimeUnit.MINUTES))
        .whenComplete(
            (elsewhere, e) -> {
              if (e == null) {
                asked.forEach(each -> each.ask(elsewhere));
              } else {
                if (FutureUtil.unwrapCompletionException(e) instanceof TimeoutException) {
                  // What was begun may go on with these.
                  logs = new HashMap<>();
                }
                asked.forEach(each -> each.answer.completeExceptionally(e));
              }
              readNext();
            });
  }

  private CompletableFuture<List<Map<String, StoredPosition>>> read(
      Map<TopicName, ForeignPositions> known) {
    return lookWhetherShared()
        .thenCompose(
            one ->
                one
                    ? group.others().thenCompose(others -> read(known, others))
                    : CompletableFuture.completedFuture(List.of()));
  }

  private CompletableFuture<List<Map<String, StoredPosition>>> read(
      Map<TopicName, ForeignPositions> known, List<TopicName> others) {
    return topic
        .getBrokerService()
        .getManagedLedgerConfig(TopicName.get(topic.getName()))
        .thenApply(config -> logsOf(others, known, config))
        .thenCompose(
            read ->
                FutureUtil.waitForAll(read)
                    .thenApply(done -> read.stream().map(each -> each.join().byName()).toList()));
  }

  private List<CompletableFuture<StoredPositions>> logsOf(
      List<TopicName> topics, Map<TopicName, ForeignPositions> known, ManagedLedgerConfig config) {
    known.keySet().retainAll(topics);
    return topics.stream()
        .map(
            other ->
                known
                    .computeIfAbsent(
                        other,
                        key ->
                            new ForeignPositions(
                                topic.getBrokerService(),
                                config,
                                new Owner(other.toString(), subscription)))
                    .read())
        .toList();
  }
}
