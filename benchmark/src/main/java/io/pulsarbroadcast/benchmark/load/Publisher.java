/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.pulsarbroadcast.process.NewThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.TypedMessageBuilder;

/**
 * Publishes numbered messages at the times of a {@link Schedule} with the stock Java client. One
 * thread at a time may publish; any thread may ask for the counts or close it.
 */
public final class Publisher implements AutoCloseable {
  private static final int MAX_PENDING = 1_000;

  /** So that what is measured after a restart is the broker and not the wait for the next try. */
  private static final int MAX_BACKOFF_SECONDS = 1;

  /** The client itself tries for ever when connections end at once. */
  private static final long CREATE_TIMEOUT_SECONDS = 120;

  private static final long MAX_LATENCY_MICROS = TimeUnit.HOURS.toMicros(1);
  private static final int SIGNIFICANT_DIGITS = 3;

  private final PulsarClient client;
  private final Producer<byte[]> producer;
  private final PayloadFormat payloads;
  private final int sizeBytes;
  private final Random random = new Random();
  private final Semaphore pending = new Semaphore(MAX_PENDING);
  private final AtomicInteger acknowledgedCount = new AtomicInteger();
  private final BitSet acknowledged = new BitSet();
  private final Recorder latencyMicros = new Recorder(MAX_LATENCY_MICROS, SIGNIFICANT_DIGITS);
  private List<String> keys = List.of();
  private final List<PublishListener> listeners = new ArrayList<>();
  private String firstError;
  private volatile boolean finishing;
  private volatile int next;
  private volatile boolean closed;
  private volatile long latestNanos = Long.MAX_VALUE;

  /**
   * Connects.
   *
   * @param run as in the fleet's {@link LoadConfig#run()}
   * @param sendTimeout after which a message counts as not acknowledged; zero for never, so that
   *     messages outlive a restart of the broker
   */
  public Publisher(String serviceUrl, String topic, int run, int sizeBytes, Duration sendTimeout)
      throws PulsarClientException {
    if (sizeBytes < PayloadFormat.MIN_SIZE_BYTES || sizeBytes > PayloadFormat.MAX_SIZE_BYTES) {
      throw new IllegalArgumentException(
          "sizeBytes is %d; allowed: %d to %d"
              .formatted(sizeBytes, PayloadFormat.MIN_SIZE_BYTES, PayloadFormat.MAX_SIZE_BYTES));
    }
    this.payloads = new PayloadFormat(run);
    this.sizeBytes = sizeBytes;
    client =
        PulsarClient.builder()
            .serviceUrl(serviceUrl)
            .ioThreads(1)
            .listenerThreads(1)
            .statsInterval(0, TimeUnit.SECONDS)
            .maxBackoffInterval(MAX_BACKOFF_SECONDS, TimeUnit.SECONDS)
            .build();
    try {
      producer =
          client
              .newProducer()
              .topic(topic)
              .enableBatching(false)
              .compressionType(CompressionType.NONE)
              .maxPendingMessages(MAX_PENDING)
              .sendTimeout((int) sendTimeout.toMillis(), TimeUnit.MILLISECONDS)
              .createAsync()
              .get(CREATE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      client.close();
      throw PulsarClientException.unwrap(e);
    } catch (InterruptedException e) {
      client.close();
      Thread.currentThread().interrupt();
      throw PulsarClientException.unwrap(e);
    }
  }

  /** Publishing ends at this time of System.nanoTime(), also when messages are left. */
  public Publisher endAt(long nanos) {
    this.latestNanos = nanos;
    return this;
  }

  private boolean isTooLate() {
    return latestNanos != Long.MAX_VALUE && System.nanoTime() - latestNanos > 0;
  }

  /** Tells this one too of every answer. Before publishing. */
  public Publisher listener(PublishListener listener) {
    listeners.add(listener);
    return this;
  }

  /** Gives the messages this many keys in turn; 0 for none. Before publishing. */
  public Publisher keys(int count) {
    this.keys = IntStream.range(0, count).mapToObj(i -> "key-" + i).toList();
    return this;
  }

  private TypedMessageBuilder<byte[]> message(int sequence, byte[] payload) {
    TypedMessageBuilder<byte[]> message = producer.newMessage().value(payload);
    return keys.isEmpty() ? message : message.key(keys.get(sequence % keys.size()));
  }

  /**
   * Publishes messages {@code from} to before {@code to}, each when it is due, and waits for the
   * broker's answers. Returns what became of all messages up to now.
   */
  public PublishResult publish(Schedule schedule, int from, int to) throws InterruptedException {
    int sent = from;
    for (int sequence = from; sequence < to && !closed && !finishing && !isTooLate(); sequence++) {
      long intendedNanos = schedule.intendedNanos(sequence);
      byte[] payload = payloads.create(sizeBytes, sequence, intendedNanos, random);
      Schedule.awaitTime(intendedNanos);
      pending.acquire();
      int number = sequence;
      sent = sequence + 1;
      next = sent;
      listeners.forEach(listener -> listener.sending(number));
      long sentNanos = System.nanoTime();
      message(sequence, payload)
          .sendAsync()
          .whenComplete(
              (id, error) -> {
                long nowNanos = System.nanoTime();
                for (PublishListener listener : listeners) {
                  listener.answered(intendedNanos, sentNanos, nowNanos, error == null);
                  tell(listener, number, id);
                }
                answered(number, intendedNanos, error);
              });
    }
    finishing = false;
    pending.acquire(MAX_PENDING);
    pending.release(MAX_PENDING);
    synchronized (acknowledged) {
      return new PublishResult(sent, (BitSet) acknowledged.clone(), firstError);
    }
  }

  /** {@code id}: null when it is not known to be stored. */
  private static void tell(PublishListener listener, int sequence, MessageId id) {
    if (id instanceof MessageIdAdv place) {
      listener.stored(sequence, place.getLedgerId(), place.getEntryId());
    } else {
      listener.givenUp(sequence);
    }
  }

  /** The same on a thread of its own. */
  public CompletableFuture<PublishResult> publishAsync(Schedule schedule, int from, int to) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return publish(schedule, from, to);
          } catch (InterruptedException e) {
            throw new CompletionException(e);
          }
        },
        NewThread.named("publisher"));
  }

  private void answered(int sequence, long intendedNanos, Throwable error) {
    long micros = Math.max(0, (System.nanoTime() - intendedNanos) / 1_000);
    latencyMicros.recordValue(Math.min(micros, MAX_LATENCY_MICROS));
    synchronized (acknowledged) {
      if (error == null) {
        acknowledged.set(sequence);
        acknowledgedCount.incrementAndGet();
      } else if (firstError == null) {
        firstError = error.toString();
      }
    }
    pending.release();
  }

  /** Ends the publishing under way early; what was sent is still waited for. */
  public void finish() {
    finishing = true;
  }

  /** The number of the first message that has not been sent yet. */
  public int nextSequence() {
    return next;
  }

  /**
   * From the intended send time to the broker's answer, of the messages answered since the last
   * call.
   */
  public Histogram takeLatencyMicros() {
    return latencyMicros.getIntervalHistogram();
  }

  /** How many messages the broker has acknowledged so far. */
  public int acknowledgedSoFar() {
    return acknowledgedCount.get();
  }

  /** Lets a publishing that is under way end: no further message, no waiting for answers. */
  public void stop() {
    closed = true;
    pending.release(MAX_PENDING);
  }

  @Override
  public void close() throws PulsarClientException {
    closed = true;
    client.close();
  }
}
