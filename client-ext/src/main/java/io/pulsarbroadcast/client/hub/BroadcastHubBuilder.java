/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClientException;

/** Settings of a {@link BroadcastHub}. For one thread at a time. */
public final class BroadcastHubBuilder<T> {
  private final ConsumerBuilder<T> consumer;
  private int maxMessages = 10_000;
  private Executor executor = DefaultExecutor.SHARED;
  private Duration resumeTime = Duration.ofSeconds(30);

  BroadcastHubBuilder(ConsumerBuilder<T> consumer) {
    this.consumer = requireNonNull(consumer, "consumer");
  }

  /**
   * How many messages the hub holds at most, in memory; 10,000 by default. A session that has not
   * acknowledged the oldest when one more comes ends with {@link SessionTooFarBehindException}. So
   * it is to be more than is published while a session may fail to keep up, and than is published
   * in the {@link #resumeTime}.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public BroadcastHubBuilder<T> maxMessages(int messages) {
    if (messages < 1) {
      throw new IllegalArgumentException("maxMessages is " + messages + "; allowed: 1 or more");
    }
    maxMessages = messages;
    return this;
  }

  /**
   * Where subscribers are called, each by one task at a time; by default a pool of as many threads
   * as there are processors, at least two, which hubs share. A subscriber that blocks keeps a
   * thread of it: where they do, give an executor that has a thread for each, as {@code
   * Executors.newVirtualThreadPerTaskExecutor()} of Java 21. The hub does not shut it down.
   *
   * <p>It is to take a task for each session, or those that it refuses end without a call; not to
   * run tasks in the thread that brings them, which is the client's; and to run them in the order
   * in which they come, which a {@code ForkJoinPool} does not: there a session with much to catch
   * up with keeps a thread until it has.
   */
  public BroadcastHubBuilder<T> executor(Executor subscribersExecutor) {
    executor = requireNonNull(subscribersExecutor, "executor");
    return this;
  }

  /**
   * For how long after {@link #subscribe} nothing is acknowledged to the broker, and all that is
   * read is held, so that sessions that return after a restart of the process and open with {@code
   * Earliest} miss nothing; 30 seconds by default. Meanwhile the hub reads no more than {@link
   * #maxMessages}: sessions that have those wait.
   *
   * @param time 0 or more; with 0 a session that returns starts at what others hold
   * @throws IllegalArgumentException if it is negative
   */
  public BroadcastHubBuilder<T> resumeTime(Duration time) {
    requireNonNull(time, "resumeTime");
    if (time.isNegative()) {
      throw new IllegalArgumentException("resumeTime is " + time + "; allowed: 0 seconds or more");
    }
    resumeTime = time;
    return this;
  }

  /**
   * Subscribes the consumer, as a Broadcast one, and begins to read. It is not to be used for
   * anything else, nor is its builder while this runs. Its {@code receiverQueueSize} is to be 1 or
   * more: with 0 the client asks for nothing after it has connected again. It has no {@code
   * ackTimeout}: a session may take as long as it likes, and everything would be sent again for it.
   * The builder keeps these settings.
   *
   * @throws PulsarClientException what the subscribe throws; or if the builder has a message
   *     listener, because the hub reads itself
   */
  public BroadcastHub<T> subscribe() throws PulsarClientException {
    // Sessions share messages, for as long as each likes.
    Consumer<T> subscribed =
        consumer
            .property("pulsar.subscription.type", "Broadcast")
            .poolMessages(false)
            .ackTimeout(0, TimeUnit.MILLISECONDS)
            .subscribe();
    BroadcastHub<T> hub = new BroadcastHub<>(subscribed, maxMessages, executor);
    try {
      hub.start(resumeTime);
    } catch (PulsarClientException e) {
      subscribed.closeAsync();
      throw e;
    }
    return hub;
  }
}
