/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.Throttled;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.StoredPosition;
import io.pulsarbroadcast.broker.cursor.UnknownVersionException;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.cursor.Waiting;
import io.pulsarbroadcast.broker.ledger.MarkDelete;
import io.pulsarbroadcast.broker.ledger.PositionsElsewhere;
import io.pulsarbroadcast.broker.ledger.StartPositions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.NotAllowedException;
import org.apache.pulsar.broker.service.BrokerServiceException.ServiceUnitNotReadyException;
import org.apache.pulsar.common.util.FutureUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has positions of one subscription go along with their consumers, between the source of a shadow
 * topic and its shadow topics, where the source's owner wants that. May be called from any thread.
 *
 * <p>Nobody is asked, and nobody told. A stored name counts how often its consumers have come, to
 * whichever topic. Whoever comes to a topic takes over what counts for most in the others, and
 * counts once more. What counts for less in another topic is nobody's any more, and is dropped
 * there by that topic itself. A crash in between leaves both.
 */
final class PositionTakeover {

  private static final Logger log = LoggerFactory.getLogger(PositionTakeover.class);
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** How long what is not as it will be soon is waited for. */
  private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final int LOOK_AGAIN_MILLIS = 500;

  /** How soon others can read who has come or gone. */
  private static final int STORE_MILLIS = 100;

  /** How long after its consumer came to another topic a position is dropped, mostly. */
  private static final long DROP_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The same, of one that has waited for long. */
  private static final long DROP_LATER_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String topic;
  private final PositionsElsewhere elsewhere;
  private final CursorRegistry cursors;
  private final StartPositions startPositions;
  private final MarkDelete markDelete;
  private final AtomicBoolean dropping = new AtomicBoolean();
  private volatile long lookNanos = System.nanoTime() - DROP_NANOS;
  private volatile long pauseNanos = DROP_NANOS;
  private volatile boolean failing;

  /** Whether what has moved was dropped since that was asked last. */
  private final AtomicBoolean dropped = new AtomicBoolean();

  /** Whether positions that were here have moved. Confined to the look under way. */
  private volatile boolean movedAway;

  private final Throttled storing;

  /**
   * @param timer stores soon who has come or gone
   */
  PositionTakeover(
      String topic,
      PositionsElsewhere elsewhere,
      CursorRegistry cursors,
      StartPositions startPositions,
      MarkDelete markDelete,
      ScheduledExecutorService timer) {
    this.topic = topic;
    this.elsewhere = elsewhere;
    this.cursors = cursors;
    this.startPositions = startPositions;
    this.markDelete = markDelete;
    // What it does not store is stored with the next flush.
    this.storing =
        new Throttled(timer, STORE_MILLIS, () -> markDelete.flush().exceptionally(e -> null));
  }

  /**
   * A durable consumer is about to be registered: has wait under its name what waits elsewhere.
   *
   * @return fails with what the broker tells the client
   */
  CompletableFuture<Void> arrive(String name) {
    return elsewhere.isNothing() ? DONE : arrive(name, System.nanoTime() + SETTLING_NANOS);
  }

  private CompletableFuture<Void> arrive(String name, long untilNanos) {
    return elsewhere
        .of(name)
        .handle(
            (found, e) -> e == null ? arrive(name, found, untilNanos) : failed(name, e, untilNanos))
        .thenCompose(arrived -> arrived);
  }

  /** A subscription that is just being made or deleted cannot be read for a moment. */
  private CompletableFuture<Void> failed(String name, Throwable failure, long untilNanos) {
    BrokerServiceException refusal = refusal(failure);
    return refusal instanceof ServiceUnitNotReadyException && System.nanoTime() < untilNanos
        ? arriveLater(name, untilNanos)
        : CompletableFuture.failedFuture(refusal);
  }

  private CompletableFuture<Void> arriveLater(String name, long untilNanos) {
    return CompletableFuture.runAsync(
            () -> {}, CompletableFuture.delayedExecutor(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS))
        .thenCompose(waited -> arrive(name, untilNanos));
  }

  private CompletableFuture<Void> arrive(String name, List<StoredPosition> found, long untilNanos) {
    StoredPosition newest =
        found.stream().reduce((one, other) -> one.holdsBefore(other) ? one : other).orElse(null);
    if (newest == null || newest.arrivals() <= cursors.waitingArrivals(name)) {
      if (elsewhere.isShared()) {
        cursors.countArrival(name);
      }
      return DONE;
    }
    EntryId furthest = newest.furthest();
    // A consumer that has just been closed, and a shadow topic that follows its source, need a
    // moment. Who seems connected for longer is gone with its broker.
    boolean settled = newest.isAway() && !startPositions.isAhead(furthest);
    if (!settled && System.nanoTime() < untilNanos) {
      return arriveLater(name, untilNanos);
    }
    return startPositions.isUnknown(furthest.ledgerId())
        ? CompletableFuture.failedFuture(
            new ServiceUnitNotReadyException(
                "This topic has not heard of ledger %d yet, where the consumer left its position, try again"
                    .formatted(furthest.ledgerId())))
        : startPositions.takeOver(newest);
  }

  private BrokerServiceException refusal(Throwable failure) {
    Throwable cause = FutureUtil.unwrapCompletionException(failure);
    if (cause instanceof IllegalArgumentException) {
      return new NotAllowedException(cause.getMessage());
    }
    return cause instanceof UnknownVersionException
        ? new NotAllowedException(
            "The positions of another topic cannot be read by this version of pulsar-broadcast: "
                + cause.getMessage())
        : new ServiceUnitNotReadyException(
            "The consumer's position in the source and other shadow topics of %s cannot be read, try again: %s"
                .formatted(topic, cause));
  }

  /** A consumer has come. One with a new name is not answered before that is stored. */
  void came(VirtualCursor position) {
    if (elsewhere.isShared() && cursors.isNameStored(position)) {
      changed();
    }
  }

  /** A consumer has come or gone: others are to know soon, if any read it. */
  void changed() {
    pauseNanos = DROP_NANOS;
    if (elsewhere.isShared()) {
      storing.request();
    }
  }

  /** Whether positions may expire: not those that have moved, which are dropped before. */
  boolean mayExpire() {
    return !elsewhere.isShared() || dropped.getAndSet(false);
  }

  /**
   * Drops what consumers have taken over in other topics, some seconds later.
   *
   * @param end ends the subscription, of which nothing else is left, as long as that holds; whether
   *     it has
   */
  void look(Function<BooleanSupplier, CompletableFuture<Boolean>> end) {
    if (elsewhere.isNothing()
        || System.nanoTime() - lookNanos < pauseNanos
        || !dropping.compareAndSet(false, true)) {
      return;
    }
    // What it throws is told as what it answers is.
    DONE.thenCompose(begun -> elsewhere.lookWhetherShared())
        .thenCompose(
            shared ->
                shared
                    // Others are to read also what was stored before they did.
                    ? markDelete.flush().thenCompose(flushed -> dropTakenOver(end))
                    : DONE)
        .whenComplete(
            (done, e) -> {
              lookNanos = System.nanoTime();
              pauseNanos = Math.min(2 * pauseNanos, DROP_LATER_NANOS);
              // What is not understood moves nothing.
              boolean isClear =
                  e == null
                      || FutureUtil.unwrapCompletionException(e)
                          instanceof IllegalArgumentException;
              dropped.set(isClear);
              dropping.set(false);
              warnOnce(e);
            });
  }

  private CompletableFuture<Void> dropTakenOver(
      Function<BooleanSupplier, CompletableFuture<Boolean>> end) {
    if (movedAway && !cursors.hasDurable()) {
      return end(cursors::isEmpty, end);
    }
    if (cursors.leftBehindCount() == 0) {
      elsewhere.forgetUnused();
      return DONE;
    }
    return elsewhere.arrivals().thenCompose(arrivals -> dropTakenOver(arrivals, end));
  }

  private CompletableFuture<Void> end(
      BooleanSupplier unused, Function<BooleanSupplier, CompletableFuture<Boolean>> end) {
    movedAway = true;
    return end.apply(unused).thenAccept(ended -> movedAway = !ended);
  }

  private CompletableFuture<Void> dropTakenOver(
      Map<String, Integer> arrivals, Function<BooleanSupplier, CompletableFuture<Boolean>> end) {
    Predicate<Waiting> takenOver =
        waiting -> waiting.arrivals() < arrivals.getOrDefault(waiting.name(), 0);
    BooleanSupplier all = () -> cursors.isAllWaiting(takenOver, startPositions.end());
    if (all.getAsBoolean()) {
      return end(all, end);
    }
    if (arrivals.keySet().stream().noneMatch(name -> isTakenOver(name, arrivals))) {
      return DONE;
    }
    movedAway = true;
    return markDelete
        .drop(null, takenOver, startPositions.end(), false)
        .thenCompose(
            names -> {
              log.info(
                  "[{}] Consumers of {} names have gone to other topics of the same ledgers",
                  topic,
                  names.size());
              return cursors.hasDurable() ? DONE : end(cursors::isEmpty, end);
            });
  }

  private boolean isTakenOver(String name, Map<String, Integer> arrivals) {
    int here = cursors.waitingArrivals(name);
    return here >= 0 && here < arrivals.get(name);
  }

  private void warnOnce(Throwable failure) {
    if (failure != null && !failing) {
      log.warn(
          "[{}] Could not find out which positions are in other topics now, trying again: {}",
          topic,
          failure.toString());
    }
    failing = failure != null;
  }
}
