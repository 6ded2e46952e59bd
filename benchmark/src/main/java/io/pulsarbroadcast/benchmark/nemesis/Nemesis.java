/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.scenario.Periodic;
import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes one fault after the other, drawn from a seed; between them all is quiet until every
 * consumer receives again. What ends by itself is a fault as well, noticed within a second until
 * this is closed. One thread may call it.
 */
final class Nemesis implements AutoCloseable {
  private static final Duration CONFIRM_TIMEOUT = Duration.ofSeconds(90);

  /** In which a part that was frozen, or cut off, hears that its session is over, and ends. */
  private static final int SETTLE_SECONDS = 4;

  private static final int WATCH_SECONDS = 1;

  /** How long a part that runs may be too busy to answer while no fault is going on. */
  private static final Duration HICCUP_TIMEOUT = Duration.ofSeconds(20);

  /** What happened. What did not come about is not a number. */
  record Made(
      int number,
      String kind,
      String what,
      double beganSeconds,
      double confirmedAfterSeconds,
      double healedAfterSeconds,
      double recoveredAfterSeconds) {}

  /**
   * When some consumer does not receive again, which is what the subscription has to answer for.
   */
  static final class StarvedException extends IOException {
    private static final long serialVersionUID = 1;

    StarvedException(String message) {
      super(message);
    }
  }

  private final NemesisCluster cluster;
  private final List<RecordedTopic> topics;
  private final Random random;
  private final int quietSeconds;
  private final int recoverySeconds;
  private final Consumer<String> log;
  private final long startNanos = System.nanoTime();
  private final List<Made> made = new ArrayList<>();
  private final FaultDeck deck;
  private final FaultHistory history;
  private final Periodic watch;
  private int sampled;

  /**
   * Draws nothing yet.
   *
   * @param quietSeconds between the end of one and the next
   * @param recoverySeconds after which a consumer that does not receive again ends the run
   */
  Nemesis(
      NemesisCluster cluster,
      List<RecordedTopic> topics,
      List<FaultKind> kinds,
      long seed,
      int quietSeconds,
      int recoverySeconds,
      Consumer<String> log) {
    this.cluster = cluster;
    this.topics = topics;
    this.random = new Random(seed);
    this.deck = new FaultDeck(kinds, random);
    this.quietSeconds = quietSeconds;
    this.recoverySeconds = recoverySeconds;
    this.log = log;
    this.history =
        new FaultHistory(
            (step, number, kind, crash) ->
                topics.forEach(topic -> topic.fault(step, number, kind, crash)));
    this.watch = new Periodic("nemesis-watch", WATCH_SECONDS, WATCH_SECONDS, this::watch);
  }

  private void watch() {
    if (cluster.hasEndedByItself()) {
      history.noticedEnd();
    }
  }

  /** Those that were made so far. */
  List<Made> made() {
    return made;
  }

  /**
   * Makes faults until the time is over, one at least.
   *
   * @throws StarvedException when a consumer does not receive again
   * @throws IOException when a part of the cluster does not come back
   */
  void run(Duration time) throws IOException, InterruptedException {
    quiet();
    do {
      FaultKind kind = deck.next();
      make(kind.toString(), kind.draw(cluster, random));
      watch.check();
      quiet();
    } while (System.nanoTime() - startNanos < time.toNanos());
  }

  private void quiet() throws IOException, InterruptedException {
    sampleSkips();
    int calmSeconds = 0;
    while (calmSeconds < quietSeconds) {
      TimeUnit.SECONDS.sleep(1);
      calmSeconds++;
      List<Node> ended = calmSeconds < quietSeconds ? cluster.ended() : endedOrReady();
      if (!ended.isEmpty()) {
        // Although no fault did it: that is one.
        makeOf(ended);
        calmSeconds = 0;
      }
      // All in a few seconds, but not all at once.
      RecordedTopic topic = topics.get(sampled++ % topics.size());
      sample(() -> topic.sampleMarkDelete(cluster.admin()));
    }
    sampleSkips();
  }

  /** Returns what has ended, or nothing as soon as every part is ready. */
  private List<Node> endedOrReady() throws IOException, InterruptedException {
    List<Node> ended = new ArrayList<>();
    Wait.until(
        HICCUP_TIMEOUT,
        "every part to be ready, although no fault is going on",
        () -> {
          List<Node> unready = cluster.unready();
          unready.stream().filter(node -> !node.isRunning()).forEach(ended::add);
          return unready.isEmpty() || !ended.isEmpty();
        });
    return ended;
  }

  private void sampleSkips() throws InterruptedException {
    for (Node broker : cluster.brokers()) {
      sample(
          () -> {
            MetricsPage page = cluster.admin().metrics(broker);
            topics.forEach(topic -> topic.skipped(broker.name(), page));
          });
    }
  }

  /** What is sampled. */
  private interface Sample {
    void take() throws IOException, InterruptedException;
  }

  /** One that is missing shows less, not something wrong. */
  private void sample(Sample sample) throws InterruptedException {
    try {
      sample.take();
    } catch (IOException e) {
      log.accept("a sample is missing: " + e);
    }
  }

  private void makeOf(List<Node> unready) throws IOException, InterruptedException {
    make(history.ended(), FaultHistory.ENDED, new EndedFault(cluster, unready));
  }

  private void make(String kind, Fault fault) throws IOException, InterruptedException {
    make(history.begun(kind, fault.isCrash()), kind, fault);
  }

  private void make(int number, String kind, Fault fault) throws IOException, InterruptedException {
    double beganSeconds = seconds();
    double confirmedSeconds = Double.NaN;
    double healedSeconds = Double.NaN;
    double recoveredSeconds = Double.NaN;
    log.accept("fault %d, %s: %s".formatted(number, kind, fault.what()));
    try {
      if (bites(number, fault)) {
        confirmedSeconds = seconds() - beganSeconds;
        history.confirmed(number);
        TimeUnit.MILLISECONDS.sleep(fault.holdMillis());
      }
      fault.heal();
      healedSeconds = seconds() - beganSeconds;
      awaitRecovered(number, fault);
      recoveredSeconds = settle(number, fault) - beganSeconds;
      log.accept(
          "fault %d: seen after %.1f s, undone after %.1f s, all consumers receive again after %.1f s"
              .formatted(number, confirmedSeconds, healedSeconds, recoveredSeconds));
      history.healed(number);
    } catch (StarvedException e) {
      // Every part is ready: from here on it counts that somebody waits.
      history.healed(number);
      throw e;
    } finally {
      made.add(
          new Made(
              number,
              kind,
              fault.what(),
              beganSeconds,
              confirmedSeconds,
              healedSeconds,
              recoveredSeconds));
    }
  }

  private boolean bites(int number, Fault fault) throws InterruptedException {
    try {
      fault.begin();
      Wait.until(CONFIRM_TIMEOUT, fault.what() + " to be seen", fault::isConfirmed);
      return true;
    } catch (IOException e) {
      log.accept("fault %d was not seen to happen: %s".formatted(number, e));
      return false;
    }
  }

  private void awaitRecovered(int number, Fault fault) throws IOException, InterruptedException {
    List<Integer> next = topics.stream().map(RecordedTopic::nextSequence).toList();
    long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(recoverySeconds);
    long lookNanos = System.nanoTime();
    for (int i = 0; i < topics.size(); i++) {
      RecordedTopic topic = topics.get(i);
      if (topic.isPublished()) {
        throw new IOException("There is nothing left to publish to " + topic.name());
      }
      while (!topic.hasReached(next.get(i))) {
        if (System.nanoTime() - untilNanos > 0) {
          List<Node> unready = cluster.unready();
          if (!unready.isEmpty()) {
            // Nobody can be blamed for what does not come.
            throw new IOException(cluster.describe(unready));
          }
          throw new StarvedException(
              "%d s after fault %d (%s) was undone some consumer does not receive message %d: %s"
                  .formatted(recoverySeconds, number, fault.what(), next.get(i), topic.progress()));
        }
        if (System.nanoTime() - lookNanos > TimeUnit.SECONDS.toNanos(1)) {
          restartEnded(fault);
          lookNanos = System.nanoTime();
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  /**
   * Returns when all has been ready for a while: what was frozen may end when it goes on.
   *
   * @return when every consumer received again, in seconds of the run
   */
  private double settle(int number, Fault fault) throws IOException, InterruptedException {
    double recoveredSeconds = seconds();
    int calmSeconds = 0;
    while (calmSeconds < SETTLE_SECONDS) {
      TimeUnit.SECONDS.sleep(1);
      calmSeconds++;
      if (restartEnded(fault) || !cluster.unready().isEmpty()) {
        cluster.awaitReady();
        awaitRecovered(number, fault);
        recoveredSeconds = seconds();
        calmSeconds = 0;
      }
    }
    return recoveredSeconds;
  }

  /**
   * Whether something had ended. If it was not this fault that may lose acknowledgements, it is a
   * fault of its own.
   */
  private boolean restartEnded(Fault during) throws IOException, InterruptedException {
    List<Node> ended = cluster.ended();
    if (ended.isEmpty()) {
      return false;
    }
    if (during.isCrash()) {
      log.accept(cluster.describe(ended) + ", and is started again");
      cluster.start(ended);
    } else {
      makeOf(ended);
    }
    return true;
  }

  private double seconds() {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    watch.close();
  }
}
