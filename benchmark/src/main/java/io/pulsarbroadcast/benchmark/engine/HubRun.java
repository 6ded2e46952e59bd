/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.server.Broker;
import io.pulsarbroadcast.client.hub.BroadcastHub;
import io.pulsarbroadcast.client.hub.HubSession;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;

/**
 * Every message of a topic to many sessions of this process, each of which acknowledges it, with
 * stock clients of one connection each. One thread may call it, once.
 */
public final class HubRun {
  private static final String SUBSCRIPTION = "sessions";

  /** Unanswered subscribes of stock consumers; with more, the client's lookups time out. */
  private static final int SUBSCRIBE_WINDOW = 256;

  private static final long POLL_MILLIS = 20;
  private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * The load.
   *
   * @param sessions that receive every message
   * @param connections that they share
   * @param messages with the warm-up
   * @param warmupMessages the first of them, which are counted but not timed
   */
  public record Settings(
      int sessions,
      int connections,
      double messagesPerSecond,
      int messageBytes,
      int messages,
      int warmupMessages) {}

  /**
   * What became of it.
   *
   * @param endToEndMicros from when a message was due to when a session has it, of the timed ones
   * @param connectSeconds until all sessions could receive
   * @param expected each message for each session
   * @param acknowledged those of them whose message the broker acknowledged
   * @param arrived of them; each counts once
   * @param repeated that a session received before
   * @param skips how often a session received another message than the next
   * @param serverMillis CPU in the timed part
   * @param ownMillis CPU of this process, the publisher's included
   * @param timedDeliveries that they were used for
   * @param bytesOut of messages that the broker sent, warm-up included
   */
  public record Result(
      Histogram endToEndMicros,
      double connectSeconds,
      long expected,
      long acknowledged,
      long arrived,
      long repeated,
      long skips,
      long serverMillis,
      long ownMillis,
      long timedDeliveries,
      long bytesOut) {
    /** Whether every message was acknowledged, and every session has it once and in order. */
    public boolean isComplete() {
      return acknowledged == expected && arrived == expected && repeated == 0 && skips == 0;
    }
  }

  private final Settings load;
  private final Sessions kind;
  private final RunListener listener;
  private final Histogram endToEndMicros =
      new ConcurrentHistogram(Histograms.MAX_MICROS, Histograms.DIGITS);
  private final LongAdder arrived = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder skips = new LongAdder();
  private final List<PulsarClient> clients = new ArrayList<>();

  public HubRun(Settings load, Sessions kind, RunListener listener) {
    this.load = load;
    this.kind = kind;
    this.listener = listener;
  }

  /**
   * Runs it.
   *
   * @param topic a new one, of which nobody else knows
   */
  public Result execute(Broker broker, String topic) throws IOException, InterruptedException {
    try (Publisher publisher =
        new Publisher(
            broker.serviceUrl(), topic, topic.hashCode(), load.messageBytes, Load.SEND_TIMEOUT)) {
      long startNanos = System.nanoTime();
      connect(broker.serviceUrl(), topic);
      double connectSeconds = (System.nanoTime() - startNanos) / 1e9;
      long expected = (long) load.messages * load.sessions;
      listener.phaseStarted(kind.toString(), expected);
      publish(publisher, 0, load.warmupMessages);
      long warm = arrived.sum();
      CpuClock cpu = new CpuClock(broker.process());
      long acknowledged = publish(publisher, load.warmupMessages, load.messages);
      return new Result(
          endToEndMicros,
          connectSeconds,
          expected,
          acknowledged,
          arrived.sum(),
          repeated.sum(),
          skips.sum(),
          cpu.serverMillis(),
          cpu.ownMillis(),
          arrived.sum() - warm,
          broker.bytesOut(topic, SUBSCRIPTION));
    } finally {
      listener.phaseEnded();
      // Not close(), which waits for each of ten thousand consumers.
      for (PulsarClient client : clients) {
        client.shutdown();
      }
    }
  }

  private void connect(String serviceUrl, String topic)
      throws PulsarClientException, InterruptedException {
    for (int i = 0; i < load.connections; i++) {
      PulsarClient client =
          PulsarClient.builder()
              .serviceUrl(serviceUrl)
              .ioThreads(1)
              .listenerThreads(1)
              .statsInterval(0, TimeUnit.SECONDS)
              .build();
      clients.add(client);
      int from = (int) ((long) load.sessions * i / load.connections);
      int to = (int) ((long) load.sessions * (i + 1) / load.connections);
      if (kind == Sessions.CONSUMERS) {
        subscribe(client, topic, from, to);
      } else {
        openHub(client, topic, from, to);
      }
    }
  }

  private static ConsumerBuilder<byte[]> consumer(PulsarClient client, String topic, String name) {
    return client
        .newConsumer()
        .topic(topic)
        .subscriptionName(SUBSCRIPTION)
        .property(LoadConfig.TYPE_PROPERTY, LoadConfig.BROADCAST)
        .consumerName(name);
  }

  private void subscribe(PulsarClient client, String topic, int from, int to)
      throws InterruptedException {
    Semaphore window = new Semaphore(SUBSCRIBE_WINDOW);
    List<CompletableFuture<Consumer<byte[]>>> subscribes = new ArrayList<>();
    for (int i = from; i < to; i++) {
      window.acquire();
      Receiver receiver = new Receiver();
      subscribes.add(
          consumer(client, topic, "session-" + i)
              .messageListener(
                  (consumer, message) -> {
                    receiver.received(message);
                    consumer.acknowledgeCumulativeAsync(message);
                  })
              .subscribeAsync()
              .whenComplete((consumer, failure) -> window.release()));
    }
    subscribes.forEach(CompletableFuture::join);
  }

  private void openHub(PulsarClient client, String topic, int from, int to)
      throws PulsarClientException {
    BroadcastHub<byte[]> hub =
        BroadcastHub.builder(consumer(client, topic, "hub-" + from))
            .resumeTime(Duration.ZERO)
            .subscribe();
    for (int i = from; i < to; i++) {
      hub.open("session-" + i, SubscriptionInitialPosition.Latest, new Receiver());
    }
    if (kind == Sessions.HUBS_WITH_A_DEAD_SESSION && from == 0) {
      hub.open("dead", SubscriptionInitialPosition.Latest, new DeadSession());
    }
  }

  /** What a session does with a message, one after the other. */
  private final class Receiver implements Flow.Subscriber<Message<byte[]>> {
    private HubSession session;
    private long next;

    void received(Message<byte[]> message) {
      byte[] payload = message.getData();
      long sequence = PayloadFormat.sequence(payload);
      if (sequence < next) {
        repeated.increment();
        return;
      }
      if (sequence > next) {
        skips.increment();
      }
      next = sequence + 1;
      if (sequence >= load.warmupMessages) {
        Histograms.recordSince(endToEndMicros, PayloadFormat.intendedNanos(payload));
      }
      arrived.increment();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      session = (HubSession) subscription;
      session.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Message<byte[]> message) {
      received(message);
      session.acknowledge(message.getMessageId());
    }

    @Override
    public void onError(Throwable reason) {} // What it lacks then is counted.

    @Override
    public void onComplete() {}
  }

  private static final class DeadSession implements Flow.Subscriber<Message<byte[]>> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(Message<byte[]> message) {}

    @Override
    public void onError(Throwable reason) {}

    @Override
    public void onComplete() {}
  }

  /**
   * Publishes, and waits until all have arrived or nothing arrives any more; returns what is to
   * arrive of the messages that the broker has acknowledged so far.
   */
  private long publish(Publisher publisher, int from, int to) throws InterruptedException {
    Schedule schedule =
        Schedule.dueAt(System.nanoTime() + LEAD_NANOS, from, load.messagesPerSecond);
    CompletableFuture<?> publishing = publisher.publishAsync(schedule, from, to);
    long changedNanos = System.nanoTime();
    long last = -1;
    while (true) {
      boolean published = publishing.isDone();
      long acknowledged = (long) publisher.acknowledgedSoFar() * load.sessions;
      long now = arrived.sum();
      if (now != last || !published) {
        last = now;
        changedNanos = System.nanoTime();
      }
      listener.progress(now);
      if (published
          && (now >= acknowledged || System.nanoTime() - changedNanos > Load.QUIET.toNanos())) {
        return acknowledged;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
