/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/**
 * Makes executors that call message listeners on virtual threads, so that a listener may block.
 *
 * <pre>{@code
 * OrderedListenerExecutor threads = ListenerExecutors.virtualThreads("alerts").build();
 * Consumer<String> consumer = client.newConsumer(Schema.STRING)
 *     .topic("persistent://city/traffic/area-7")
 *     .subscriptionName("alerts")
 *     .subscriptionType(SubscriptionType.Broadcast)
 *     .consumerName("car-4711")
 *     .messageListener((c, message) -> c.acknowledgeAsync(forward(message)))
 *     .messageListenerExecutor(threads)
 *     .subscribe();
 * }</pre>
 *
 * <p>It takes Java 21, and a Pulsar client with {@code MessageListenerExecutor} (PIP-359): 3.0.7 or
 * 4.0, not 3.3.6. Acknowledge each message by itself: a cumulative acknowledgement, unless {@link
 * Builder#ordered}, includes messages of other keys whose listener has not returned. Give each
 * consumer its own executor: messages of the same key wait for each other also if they are of two
 * consumers. The idea is Philipp Dolif's <i>Pulsar Virtual Threads Message Listener</i>.
 */
public final class ListenerExecutors {
  private static final String CLIENT_INTERFACE =
      "org.apache.pulsar.client.api.MessageListenerExecutor";

  private ListenerExecutors() {}

  /**
   * Begins to build one.
   *
   * @param name of its threads, {@code name-1} and so on, and the tag {@code name} of its meters
   * @throws UnsupportedOperationException if this Java has no virtual threads, or this Pulsar
   *     client no {@code MessageListenerExecutor}
   */
  public static Builder virtualThreads(String name) {
    return threads(name, virtualThreadFactory(name));
  }

  /**
   * The same on threads of any kind, for Java 17: one for each key that has messages.
   *
   * @param name the tag {@code name} of its meters
   * @throws UnsupportedOperationException if this Pulsar client has no {@code
   *     MessageListenerExecutor}
   */
  public static Builder threads(String name, ThreadFactory threads) {
    requireClient();
    return new Builder(name, threads);
  }

  private static void requireClient() {
    try {
      Class.forName(CLIENT_INTERFACE, false, ListenerExecutors.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException(
          "This Pulsar client has no "
              + CLIENT_INTERFACE
              + "; use one of 3.0.7 or a later 3.0, or of 4.0 or later",
          e);
    }
  }

  /** By reflection: this jar runs on 17 too. */
  static ThreadFactory virtualThreadFactory(String name) {
    try {
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Object named =
          type.getMethod("name", String.class, long.class).invoke(builder, name + "-", 1L);
      return (ThreadFactory) type.getMethod("factory").invoke(named);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException(
          "Java " + Runtime.version().feature() + " has no virtual threads; use 21 or later", e);
    }
  }

  /** For one thread at a time. */
  public static final class Builder {
    private final String name;
    private final ThreadFactory threads;
    private boolean perKey = true;
    private int maxConcurrency = 1_000;
    private Duration closeTimeout = Duration.ofSeconds(30);
    private Supplier<ListenerMeters> meters = () -> ListenerMeters.NONE;

    Builder(String name, ThreadFactory threads) {
      this.name = Objects.requireNonNull(name, "name");
      this.threads = Objects.requireNonNull(threads, "threads");
    }

    /**
     * One message after the other, as they come. Without this, those of one key come one after the
     * other (the ordering key, else the key, of one topic or partition), and so do those without a
     * key; others do not wait for them.
     */
    public Builder ordered() {
      perKey = false;
      return this;
    }

    /**
     * How many listener calls, each on a thread, there may be at a time; 1,000 by default. Further
     * messages wait; those of a key that waits longest are next.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public Builder maxConcurrency(int calls) {
      if (calls < 1) {
        throw new IllegalArgumentException("maxConcurrency is " + calls + "; allowed: 1 or more");
      }
      maxConcurrency = calls;
      return this;
    }

    /**
     * How long {@link OrderedListenerExecutor#close} waits before it interrupts; 30 s by default.
     *
     * @param timeout 0 or more
     * @throws IllegalArgumentException if it is negative
     */
    public Builder closeTimeout(Duration timeout) {
      Objects.requireNonNull(timeout, "closeTimeout");
      if (timeout.isNegative()) {
        throw new IllegalArgumentException(
            "closeTimeout is " + timeout + "; allowed: 0 seconds or more");
      }
      closeTimeout = timeout;
      return this;
    }

    /**
     * Registers meters, each with the tag {@code name}, which is to be another one for each
     * executor; {@code close} removes the gauges. The others stay, and the next executor of the
     * name goes on with them: executors that come and go are to share a few names.
     *
     * <ul>
     *   <li>{@code executor.queued}, {@code executor.active}: gauges of messages that wait and of
     *       listener calls
     *   <li>{@code executor}: timer of the calls; {@code executor.idle}: of the wait before them
     *   <li>{@code executor.rejected}: messages that came or still waited when it was closed
     *   <li>{@code pulsar.listener.end.to.end}: timer from publishing to the end of the call, by
     *       the clocks of two machines
     * </ul>
     *
     * <p>{@link #build} throws IllegalArgumentException if an executor of that name is not closed.
     */
    public Builder meterRegistry(MeterRegistry registry) {
      Objects.requireNonNull(registry, "registry");
      meters = () -> new MicrometerListenerMeters(registry, name);
      return this;
    }

    /** A new executor with no thread yet. */
    public OrderedListenerExecutor build() {
      return new OrderedListenerExecutor(
          threads, perKey, maxConcurrency, closeTimeout, meters.get());
    }
  }
}
