/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.engine.CatchUpRound.Point;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Consumers that were away read a backlog while the writer and those at the tail go on. One thread
 * may call it: laggards leave their positions while the topic is empty, the backlog is written, and
 * then, while the load is published, each round's laggards come back and read it.
 */
public final class CatchUp {
  private static final long POLL_MILLIS = 25;
  private static final double SAMPLE_SECONDS = 0.25;
  private static final double BYTES_PER_MEGABYTE = 1e6;

  /** Messages published in this time are on their way to everybody. */
  private static final double ON_THE_WAY_SECONDS = 0.25;

  private final Load tail;
  private final int messageBytes;
  private final double messagesPerSecond;
  private final Duration connectTimeout;
  private final RunListener listener;

  /**
   * Does nothing yet.
   *
   * @param tail the consumers at the tail, and the publisher
   * @param messagesPerSecond at which it publishes, but for the backlog
   */
  public CatchUp(
      Load tail,
      int messageBytes,
      double messagesPerSecond,
      Duration connectTimeout,
      RunListener listener) {
    this.tail = tail;
    this.messageBytes = messageBytes;
    this.messagesPerSecond = messagesPerSecond;
    this.connectTimeout = connectTimeout;
    this.listener = listener;
  }

  /** Consumers subscribe and go away again: what is published from then on is kept for them. */
  public void leavePositions(LoadConfig laggards) throws FleetException, InterruptedException {
    try (ConsumerFleet fleet = new ConsumerFleet(laggards)) {
      fleet.start();
      fleet.awaitSubscribed(connectTimeout);
    }
  }

  /**
   * Publishes so many messages.
   *
   * @throws IOException when one is not stored
   */
  public void writeBacklog(int messages, double perSecond)
      throws IOException, InterruptedException {
    Publisher publisher = tail.publisher();
    int from = publisher.nextSequence();
    int to = from + messages;
    listener.phaseStarted("backlog", messages);
    tail.startPublishing(perSecond, to);
    while (tail.isPublishing()) {
      listener.progress(publisher.nextSequence() - from);
      Thread.sleep(POLL_MILLIS);
    }
    PublishResult result = tail.awaitPublished(Load.SEND_TIMEOUT);
    listener.phaseEnded();
    if (result.acknowledgedCount() < to) {
      throw new IOException("The backlog was not stored: " + result.firstError());
    }
  }

  /** The tail while nobody is catching up. */
  public CatchUpRound alone(double seconds) throws InterruptedException {
    Histogram before = tail.endToEndMicros();
    TimeUnit.MILLISECONDS.sleep((long) (seconds * 1e3));
    return new CatchUpRound(0, 0, seconds, true, List.of(), tailSince(before));
  }

  /** Consumers that left their positions come back, and have everything or the time is over. */
  public CatchUpRound round(LoadConfig config, Duration limit)
      throws FleetException, InterruptedException {
    int laggards = config.consumers;
    Publisher publisher = tail.publisher();
    List<Point> curve = new ArrayList<>();
    Histogram before = tail.endToEndMicros();
    long backlogMessages = publisher.acknowledgedSoFar();
    listener.phaseStarted("catch up, %,d behind".formatted(laggards), backlogMessages * laggards);
    try (ConsumerFleet fleet = new ConsumerFleet(config)) {
      long startNanos = System.nanoTime();
      fleet.start();
      fleet.awaitSubscribed(connectTimeout);
      double seconds = 0;
      double lastSeconds = 0;
      long lastReceived = 0;
      boolean caughtUp = false;
      while (!caughtUp && seconds < limit.toSeconds()) {
        Thread.sleep(POLL_MILLIS);
        fleet.throwFatal();
        int stored = publisher.acknowledgedSoFar();
        long received = fleet.received();
        caughtUp = hasCaughtUp(fleet, stored, received, laggards);
        seconds = (System.nanoTime() - startNanos) / 1e9;
        if (caughtUp || seconds - lastSeconds >= SAMPLE_SECONDS) {
          double megabytes = (received - lastReceived) * messageBytes / BYTES_PER_MEGABYTE;
          double behind = Math.max(0, stored - (double) received / laggards);
          curve.add(new Point(seconds, megabytes / (seconds - lastSeconds), behind));
          lastSeconds = seconds;
          lastReceived = received;
        }
        listener.progress(received);
      }
      return new CatchUpRound(
          laggards, backlogMessages * messageBytes, seconds, caughtUp, curve, tailSince(before));
    } finally {
      listener.phaseEnded();
    }
  }

  private boolean hasCaughtUp(ConsumerFleet fleet, int stored, long received, int laggards) {
    int due = Math.max(0, stored - (int) Math.max(1, messagesPerSecond * ON_THE_WAY_SECONDS));
    return received >= (long) due * laggards && fleet.hasAll(due);
  }

  private LatencyReport tailSince(Histogram before) {
    return LatencyReport.of(tail.endToEndMicrosSince(before));
  }
}
