/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.ACKS;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.CATCH_UP_BYTES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.CATCH_UP_ENTRIES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.CATCH_UP_READS;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.DELIVERED_BYTES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.DELIVERIES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.POSITIONS_WRITE_FAILURES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.POSITIONS_WRITTEN_BYTES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.READ_FAILURES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.REDELIVERIES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.REFUSED_ACKS;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.REFUSED_SUBSCRIBES;
import static io.pulsarbroadcast.broker.metrics.SubscriptionCounter.TAIL_ENTRIES;

import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one Broadcast subscription counts as it happens. May be called from any thread.
 *
 * <p>Nothing here is called per consumer and message: a connection reports once per pass over its
 * consumers, an acknowledgement command once, an entry once per stage. The counters may be shared
 * by the subscriptions of a namespace, see {@link LabelGroup}.
 */
public final class SubscriptionMetrics {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionMetrics.class);

  private final BroadcastMetrics all;
  private final String namespace;
  private final String topic;
  private final String subscription;
  private final LongAdder messagesOut = new LongAdder();
  private final LongAdder bytesOut = new LongAdder();
  private final LongAdder connections = new LongAdder();
  private final LongAdder laggards = new LongAdder();
  private final LongAdder unwritableConnections = new LongAdder();
  private volatile SubscriptionCounts counts;
  private volatile LatencyTimers timers;
  private volatile boolean closed;
  private volatile Supplier<SubscriptionSample> sampler = () -> SubscriptionSample.NONE;
  private volatile SubscriptionSample sample = SubscriptionSample.NONE;

  /** Whether the last sample could be taken. */
  private volatile boolean sampled = true;

  /** Made by {@link BroadcastMetrics}, which then gives it what it counts with. */
  SubscriptionMetrics(BroadcastMetrics all, String namespace, String topic, String subscription) {
    this.all = all;
    this.namespace = namespace;
    this.topic = topic;
    this.subscription = subscription;
  }

  /** Sets who is asked for what is not counted here; on the thread that serves metrics. */
  public void sampleFrom(Supplier<SubscriptionSample> sampler) {
    this.sampler = sampler;
  }

  /** Takes the subscription's series away: it is closed or deleted. */
  public void close() {
    closed = true;
    all.remove(this);
  }

  public boolean isClosed() {
    return closed;
  }

  /** Shows its series again after {@link #close}. */
  public void reopen() {
    all.add(this);
    closed = false;
  }

  /** Counts what a connection has written since it last reported. */
  public void delivered(long messages, long bytes, long redelivered) {
    messagesOut.add(Math.max(0, messages));
    bytesOut.add(bytes);
    SubscriptionCounts current = counts;
    current.add(DELIVERIES, messages);
    current.add(DELIVERED_BYTES, bytes);
    current.add(REDELIVERIES, redelivered);
  }

  /** The messages of this subscription alone that {@link #delivered} has counted. */
  public long messagesOut() {
    return messagesOut.sum();
  }

  /** Their bytes. */
  public long bytesOut() {
    return bytesOut.sum();
  }

  /** Counts acknowledged message ids, those refused among them. */
  public void acked(int ids) {
    counts.add(ACKS, ids);
  }

  /** Counts an acknowledgement that was not taken. */
  public void ackRefused() {
    counts.add(REFUSED_ACKS, 1);
  }

  /** Counts a subscribe with a new name that a limit has refused. */
  public void subscribeRefused() {
    counts.add(REFUSED_SUBSCRIBES, 1);
  }

  /** Counts entries that the tail reader brought. */
  public void tailRead(int entries) {
    counts.add(TAIL_ENTRIES, entries);
  }

  /** Counts a read for consumers behind. */
  public void catchUpRead(int entries, long bytes) {
    SubscriptionCounts current = counts;
    current.add(CATCH_UP_READS, 1);
    current.add(CATCH_UP_ENTRIES, entries);
    current.add(CATCH_UP_BYTES, bytes);
  }

  /** Counts a failed read of the topic, which is tried again. */
  public void readFailed() {
    counts.add(READ_FAILURES, 1);
  }

  /** Counts entries left out for consumers that had not acknowledged them. */
  public void skipped(SkipCause cause, long entries) {
    counts.skipped(cause, entries);
  }

  /** A connection has its first consumer, or its last is gone. */
  void connections(int change) {
    connections.add(change);
  }

  /** Consumers of a connection fell behind the tail, or are back at it. */
  void laggards(int change) {
    laggards.add(change);
  }

  /** A connection's socket became full, or takes more again. */
  void unwritableConnections(int change) {
    unwritableConnections.add(change);
  }

  /** Times a stage of one entry's way. */
  public void stage(Stage stage, long nanos) {
    timers.stages.get(stage).record(nanos, TimeUnit.NANOSECONDS);
  }

  Timer persistToLastWrite() {
    return timers.persistToLastWrite;
  }

  void positionsWritten(long nanos, int bytes) {
    timers.positionsWrites.record(nanos, TimeUnit.NANOSECONDS);
    counts.add(POSITIONS_WRITTEN_BYTES, bytes);
  }

  void positionsNotWritten() {
    counts.add(POSITIONS_WRITE_FAILURES, 1);
  }

  String namespace() {
    return namespace;
  }

  String topic() {
    return topic;
  }

  String subscription() {
    return subscription;
  }

  SubscriptionCounts counts() {
    return counts;
  }

  LatencyTimers timers() {
    return timers;
  }

  void joined(SubscriptionCounts ofLabels, LatencyTimers histograms) {
    counts = ofLabels;
    timers = histograms;
  }

  long connections() {
    return connections.sum();
  }

  long laggards() {
    return laggards.sum();
  }

  long unwritableConnections() {
    return unwritableConnections.sum();
  }

  /** Keeps the sample before when there is none, for one subscription must not cost the others. */
  void takeSample() {
    try {
      sample = sampler.get();
      sampled = true;
    } catch (RuntimeException e) {
      if (sampled) {
        log.warn(
            "[{}][{}] Gauges stay as they were until they can be read", topic, subscription, e);
      }
      sampled = false;
    }
  }

  SubscriptionSample sample() {
    return sample;
  }
}
