/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.history.Event;
import io.pulsarbroadcast.benchmark.history.Event.Contract;
import io.pulsarbroadcast.benchmark.history.Event.Phase;
import io.pulsarbroadcast.benchmark.history.Event.Step;
import io.pulsarbroadcast.benchmark.history.HistoryWriter;
import io.pulsarbroadcast.benchmark.history.Id;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishListener;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;

/**
 * Records what happens to a fleet and its publisher as a history. The fleet's consumers have the
 * names that a fleet gives. One of four is lazy: where others acknowledge everything up to each
 * message it does so for every tenth; where they acknowledge each message it leaves every tenth
 * until that comes again. The fleet's event loops and the publisher write; one other thread may
 * tell of faults, and sample.
 */
public final class HistoryRecorder extends ConsumerLog implements PublishListener {
  private static final String PRODUCER = "publisher";
  private static final String SKIPPED = "pulsar_broadcast_skipped_entries_total";

  /** One consumer of so many leaves messages unacknowledged, so that they are due again (I4). */
  private static final int LAZY_CONSUMERS = 4;

  private static final int LAZY_MESSAGES = 10;

  /** What all consumers of a fleet do. */
  public enum Manner {
    CUMULATIVE(SubType.Exclusive, AckPolicy.CUMULATIVE),
    INDIVIDUAL(SubType.Exclusive, AckPolicy.INDIVIDUAL),
    UNORDERED(SubType.Shared, AckPolicy.INDIVIDUAL);

    private final SubType subType;
    private final AckPolicy policy;

    Manner(SubType subType, AckPolicy policy) {
      this.subType = subType;
      this.policy = policy;
    }

    /** Has a fleet do so. */
    public LoadConfig configure(LoadConfig config) {
      return config.subType(subType).ackPolicy(policy);
    }

    private Contract contract() {
      return subType == SubType.Shared ? Contract.UNORDERED : Contract.ORDERED;
    }

    private boolean isCumulative() {
      return policy == AckPolicy.CUMULATIVE;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private record Awaited(int incarnation, int sequence, Id id) {}

  private final HistoryWriter writer;
  private final String broker;
  private final Manner manner;
  private final boolean withReceipts;
  private final String[] names;
  private final int[] incarnations;

  /** The last incarnation of each consumer that subscribed. */
  private final int[] subscribed;

  /**
   * Acknowledgements of each consumer that have no receipt, in order; of its last two incarnations,
   * because a receipt may come when the next has subscribed.
   */
  private final Deque<Awaited>[] awaited;

  /** {@code withReceipts}: whether the broker is asked for a receipt of each acknowledgement. */
  @SuppressWarnings("unchecked")
  public HistoryRecorder(
      HistoryWriter writer, int consumers, String broker, Manner manner, boolean withReceipts) {
    super(consumers, true);
    this.writer = writer;
    this.broker = broker;
    this.manner = manner;
    this.withReceipts = withReceipts;
    this.names =
        IntStream.range(0, consumers)
            .mapToObj(LoadConfig.numbered("consumer"))
            .toArray(String[]::new);
    this.incarnations = new int[consumers];
    this.subscribed = new int[consumers];
    this.awaited = Stream.generate(ArrayDeque<Awaited>::new).limit(consumers).toArray(Deque[]::new);
  }

  // --- Consumers -------------------------------------------------------------------------------

  @Override
  public void subscribing(int consumer) {
    incarnations[consumer]++;
    subscribe(consumer, Phase.INVOKED);
  }

  @Override
  public void subscribed(int consumer) {
    int before = subscribed[consumer];
    awaited[consumer].removeIf(ack -> ack.incarnation < before);
    subscribed[consumer] = incarnations[consumer];
    subscribe(consumer, Phase.OK);
  }

  @Override
  public void refused(int consumer) {
    subscribe(consumer, Phase.FAILED);
  }

  private void subscribe(int consumer, Phase phase) {
    String name = names[consumer];
    int incarnation = incarnations[consumer];
    writer.write(
        (line, micros) ->
            new Event.Subscribe(line, micros, phase, name, incarnation, manner.contract()));
  }

  @Override
  public boolean received(int consumer, Received message) {
    String name = names[consumer];
    int incarnation = incarnations[consumer];
    int sequence = message.sequence();
    Id id = Id.of(message.ledgerId(), message.entryId());
    writer.write(
        (line, micros) ->
            new Event.Delivery(
                line, micros, name, incarnation, broker, id, message.redeliveryCount(), sequence));
    boolean acknowledge = super.received(consumer, message) && isAcknowledged(consumer, message);
    if (acknowledge) {
      if (withReceipts) {
        // If it comes again, what is answered from now on is this one's acknowledgement.
        awaited[consumer].removeIf(ack -> ack.id.equals(id));
        awaited[consumer].add(new Awaited(incarnation, sequence, id));
      }
      acknowledge(consumer, Phase.INVOKED, incarnation, id);
    }
    return acknowledge;
  }

  private boolean isAcknowledged(int consumer, Received message) {
    if (consumer % LAZY_CONSUMERS != LAZY_CONSUMERS - 1) {
      return true;
    }
    boolean isTenth = message.sequence() % LAZY_MESSAGES == LAZY_MESSAGES - 1;
    return manner.isCumulative() ? isTenth : !isTenth || !message.first();
  }

  private void acknowledge(int consumer, Phase phase, int incarnation, Id id) {
    String name = names[consumer];
    writer.write(
        (line, micros) ->
            new Event.Ack(
                line, micros, phase, name, incarnation, id, manner.isCumulative(), withReceipts));
  }

  @Override
  public boolean wantsReceipts() {
    return withReceipts;
  }

  @Override
  public void receipt(int consumer, int sequence) {
    Iterator<Awaited> each = awaited[consumer].iterator();
    while (each.hasNext()) {
      Awaited oldest = each.next();
      if (oldest.sequence == sequence) {
        each.remove();
        acknowledge(consumer, Phase.OK, oldest.incarnation, oldest.id);
        return;
      }
    }
  }

  // --- The publisher ---------------------------------------------------------------------------

  @Override
  public void sending(int sequence) {
    publish(Phase.INVOKED, sequence, null);
  }

  @Override
  public void stored(int sequence, long ledgerId, long entryId) {
    if (ledgerId < 0) { // What deduplication has found to be stored before.
      publish(Phase.UNKNOWN, sequence, null);
    } else {
      publish(Phase.OK, sequence, Id.of(ledgerId, entryId));
    }
  }

  @Override
  public void givenUp(int sequence) {
    publish(Phase.UNKNOWN, sequence, null);
  }

  private void publish(Phase phase, int sequence, Id id) {
    writer.write((line, micros) -> new Event.Publish(line, micros, phase, PRODUCER, sequence, id));
  }

  @Override
  public void answered(long intendedNanos, long sentNanos, long answeredNanos, boolean stored) {}

  // --- Faults and samples ----------------------------------------------------------------------

  public void fault(Step step, int number, String kind, boolean crash) {
    writer.write((line, micros) -> new Event.Fault(line, micros, step, number, kind, crash));
  }

  void sampleMarkDelete(Broker asked, String topic, String subscription)
      throws IOException, InterruptedException {
    long askedMicros = writer.micros();
    markDelete(askedMicros, asked.markDelete(topic, subscription));
  }

  /** The time of what is asked for now. */
  public long micros() {
    return writer.micros();
  }

  /** The mark-delete position, as {@code ledger:entry}. */
  public void markDelete(long askedMicros, String position) {
    Id id = Id.parse(position);
    writer.write((line, micros) -> new Event.MarkDelete(line, micros, askedMicros, id));
  }

  void sampleSkips(Broker asked) throws IOException, InterruptedException {
    skipped(broker, asked.metrics());
  }

  /**
   * What a broker says of skipped entries, of the samples whose labels contain these texts: nothing
   * while it does not have the topic.
   *
   * @return whether it says something
   */
  public boolean skipped(String counter, MetricsPage page, String... labelTexts) {
    double skipped = page.sum(SKIPPED, labelTexts);
    long entries = Double.isNaN(skipped) ? 0 : Math.round(skipped);
    writer.write((line, micros) -> new Event.SkipCount(line, micros, counter, entries));
    return !Double.isNaN(skipped);
  }
}
