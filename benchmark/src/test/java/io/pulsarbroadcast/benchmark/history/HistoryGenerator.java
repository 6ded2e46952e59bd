/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Event.Contract;
import io.pulsarbroadcast.benchmark.history.Event.Phase;
import io.pulsarbroadcast.benchmark.history.Event.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Random histories of a naive broker that keeps every promise: batches, holes, messages sent again,
 * lost and late answers, reconnects, moves, crashes, seeks that succeed or fail, skips, and
 * consumers that go and come. One fault can be planted, in the middle.
 */
final class HistoryGenerator {
  /** What is broken, once. */
  enum Plant {
    NOTHING,
    LOSS,
    SWAP,
    REGRESSION,
    SILENT_SKIP,
    DIVERGENCE,
    EARLY_MARK_DELETE,
    OMISSION,
    STARVATION,
    UNCONFIRMED_FAULT
  }

  private static final long MILLI = 1_000;
  private static final long FLUSH_MICROS = 900 * MILLI;
  private static final long ACK_WAY_MICROS = 300 * MILLI;
  private static final int MAX_BATCH = 3;

  private record Message(Id id, long payload) {}

  private record InFlight(Event.Ack ack, long micros) {}

  /** A name, as the broker and its client know it. */
  private static final class Client {
    final String name;
    final boolean receipts;
    Contract contract;
    int incarnation;
    boolean registered;
    boolean connected;
    boolean frozen;
    int next;
    BitSet acked = new BitSet();
    BitSet stored = new BitSet();
    BitSet sent = new BitSet();
    final BitSet everSent = new BitSet();
    final Map<Integer, Long> receiptMicros = new HashMap<>();
    final Map<Integer, Integer> redeliveries = new HashMap<>();
    final Deque<InFlight> inFlight = new ArrayDeque<>();

    /** Receipts that have not come yet. */
    final Deque<Runnable> late = new ArrayDeque<>();

    Client(String name, boolean receipts, Contract contract) {
      this.name = name;
      this.receipts = receipts;
      this.contract = contract;
    }
  }

  private final Random random;
  private final Consumer<Event> sink;
  private final Plant plant;
  private final boolean batchIndexAcks;
  private final List<Message> log = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final Deque<Runnable> answers = new ArrayDeque<>();
  private long line;
  private long micros;
  private long flushedMicros;
  private long crashOverMicros;
  private long payloads;
  private long ledger = 7;
  private long entry = -1;
  private long skipped;
  private int skippedTo;
  private int faults;
  private boolean calm;
  private boolean planted;

  private HistoryGenerator(long seed, int consumers, Plant plant, Consumer<Event> sink) {
    this.random = new Random(seed);
    this.plant = plant;
    this.sink = sink;
    this.batchIndexAcks = seed % 2 == 0;
    for (int i = 0; i < consumers; i++) {
      Contract contract = random.nextBoolean() ? Contract.ORDERED : Contract.UNORDERED;
      clients.add(new Client("consumer-" + i, random.nextBoolean(), contract));
    }
  }

  /** Returns a history of so many steps. */
  static List<Event> history(long seed, int steps, Plant plant) {
    List<Event> events = new ArrayList<>();
    generate(seed, steps, 5, plant, events::add);
    return events;
  }

  static void generate(long seed, int steps, int consumers, Plant plant, Consumer<Event> sink) {
    new HistoryGenerator(seed, consumers, plant, sink).run(steps);
  }

  /** So many events and a few more, of consumers that keep up, and are killed now and then. */
  static void generateSteady(int events, int consumers, Consumer<Event> sink) {
    HistoryGenerator generator = new HistoryGenerator(0, consumers, Plant.NOTHING, sink);
    generator.begin();
    while (generator.line < events) {
      generator.publishOne();
      generator.micros += 20 * MILLI;
      generator.clients.forEach(generator::keepUpWith);
      if (generator.log.size() % 1_000 == 0) {
        generator.flush();
        generator.sampleMarkDelete();
        generator.fault(true);
      }
    }
  }

  private void keepUpWith(Client client) {
    while (deliver(client)) {
      acknowledge(client, client.next - 1, false);
      process(client, client.inFlight.remove().ack);
      receive(client.late);
    }
  }

  private static void receive(Deque<Runnable> answers) {
    while (!answers.isEmpty()) {
      answers.remove().run();
    }
  }

  private interface Made {
    Event at(long line, long micros);
  }

  private void emit(Made made) {
    // Often the same time, as of a coarse clock.
    micros += random.nextInt(3) == 0 ? random.nextInt(20) * MILLI / 2 : 0;
    sink.accept(made.at(++line, micros));
  }

  private void begin() {
    emit((l, m) -> new Event.Start(l, m, 1_000, 500, 5_000, batchIndexAcks));
    emit((l, m) -> new Event.SkipCount(l, m, "broker", 0));
    clients.forEach(this::subscribe);
  }

  private void run(int steps) {
    begin();
    for (int step = 0; step < steps; step++) {
      if (step >= steps / 2 && !planted && plant != Plant.NOTHING) {
        plant();
      }
      keepUp();
      step();
    }
    calm = true;
    settle();
    micros += 10_000 * MILLI;
    sampleMarkDelete();
    if (!planted && plant != Plant.NOTHING) {
      throw new IllegalStateException(plant + " found no place");
    }
  }

  private void step() {
    Client client = clients.get(random.nextInt(clients.size()));
    int dice = random.nextInt(1_000);
    if (dice < 150) {
      publish();
    } else if (dice < 600) {
      deliver(client);
    } else if (dice < 850) {
      acknowledge(client);
    } else if (dice < 880) {
      sampleMarkDelete();
    } else if (dice < 910) {
      redeliver(client);
    } else if (dice < 940) {
      reconnect(client);
    } else if (dice < 950) {
      fault(false);
    } else if (dice < 960) {
      fault(true);
    } else if (!calm) {
      wander(client, dice);
    }
  }

  private void wander(Client client, int dice) {
    if (dice < 970) {
      seek(client);
    } else if (dice < 980) {
      leaveOrCome(client);
    } else if (dice < 985) {
      skip(skippedTo + random.nextInt(Math.max(1, log.size() - skippedTo)), true);
    } else if (client.connected) {
      emit((l, m) -> new Event.Closed(l, m, client.name, client.incarnation));
      disconnected(client);
    }
  }

  /** Acknowledgements arrive, answers too, and positions are stored. */
  private void keepUp() {
    for (Client client : clients) {
      while (!client.inFlight.isEmpty()
          && (random.nextInt(4) == 0 || micros - client.inFlight.peek().micros > ACK_WAY_MICROS)) {
        process(client, client.inFlight.remove().ack);
      }
      if (random.nextInt(8) == 0) {
        receive(client.late);
      }
    }
    while (answers.size() > random.nextInt(4)) {
      answers.remove().run();
    }
    if (micros - flushedMicros > FLUSH_MICROS / 2) {
      flush();
    }
  }

  private void flush() {
    flushedMicros = micros;
    clients.forEach(client -> client.stored = (BitSet) client.acked.clone());
  }

  // --- Publishing ------------------------------------------------------------------------------

  private void publish() {
    int size = 1 + (random.nextInt(4) == 0 ? random.nextInt(MAX_BATCH) : 0);
    long first = payloads;
    payloads += size;
    for (int i = 0; i < size; i++) {
      long payload = first + i;
      emit((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", payload, null));
    }
    int dice = random.nextInt(100);
    if (dice < 4) {
      unknown(first, size);
      return;
    }
    if (dice < 8) {
      store(first, size);
      if (random.nextBoolean()) {
        unknown(first, size);
        return;
      }
      // Sent again.
    }
    List<Id> ids = store(first, size);
    answers.add(
        () ->
            IntStream.range(0, size)
                .forEach(
                    i ->
                        emit(
                            (l, m) ->
                                new Event.Publish(
                                    l, m, Phase.OK, "producer", first + i, ids.get(i)))));
  }

  private void unknown(long first, int size) {
    for (int i = 0; i < size; i++) {
      long payload = first + i;
      answers.add(
          () -> emit((l, m) -> new Event.Publish(l, m, Phase.UNKNOWN, "producer", payload, null)));
    }
  }

  private List<Id> store(long first, int size) {
    entry++;
    List<Id> ids = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      Id id = new Id(ledger, entry, size == 1 ? -1 : i);
      ids.add(id);
      log.add(new Message(id, first + i));
    }
    return ids;
  }

  // --- Consumers -------------------------------------------------------------------------------

  private void subscribe(Client client) {
    client.incarnation++;
    emitSubscribe(client, Phase.INVOKED);
    if (random.nextInt(10) == 0) {
      emitSubscribe(client, Phase.FAILED);
      client.incarnation++;
      emitSubscribe(client, Phase.INVOKED);
    }
    if (!client.registered) {
      client.registered = true;
      client.acked = new BitSet();
      client.acked.set(0, log.size());
      client.stored = (BitSet) client.acked.clone();
      client.everSent.clear();
      client.receiptMicros.clear();
    }
    client.connected = true;
    client.next = 0;
    client.sent.clear();
    client.redeliveries.clear();
    emitSubscribe(client, Phase.OK);
  }

  private void emitSubscribe(Client client, Phase phase) {
    emit(
        (l, m) ->
            new Event.Subscribe(l, m, phase, client.name, client.incarnation, client.contract));
  }

  private void disconnected(Client client) {
    client.connected = false;
    client.inFlight.clear();
    client.late.clear();
  }

  private void reconnect(Client client) {
    if (client.frozen) {
      return;
    }
    if (client.connected) {
      disconnected(client);
    }
    if (client.registered || !calm) {
      subscribe(client);
    }
  }

  private void leaveOrCome(Client client) {
    if (client.connected) {
      boolean fails = random.nextInt(4) == 0;
      emitUnsubscribe(client, Phase.INVOKED);
      if (fails) {
        deliver(client);
        acknowledge(client);
        keepUp();
      }
      emitUnsubscribe(client, fails ? Phase.FAILED : Phase.OK);
      client.registered = fails;
      disconnected(client);
    }
    if (random.nextBoolean()) {
      subscribe(client);
    }
  }

  private void emitUnsubscribe(Client client, Phase phase) {
    emit((l, m) -> new Event.Unsubscribe(l, m, phase, client.name, client.incarnation));
  }

  /** The first and last of an entry's messages. */
  private int[] entryOf(int index) {
    int first = index;
    int end = index + 1;
    while (first > 0 && log.get(first - 1).id.isSameEntry(log.get(index).id)) {
      first--;
    }
    while (end < log.size() && log.get(end).id.isSameEntry(log.get(index).id)) {
      end++;
    }
    return new int[] {first, end};
  }

  private boolean isAcked(Client client, int index) {
    int[] entry = entryOf(index);
    return batchIndexAcks
        ? client.acked.get(index)
        : client.acked.nextClearBit(entry[0]) >= entry[1];
  }

  /** The message that is sent next; -1 if there is none. */
  private int nextOf(Client client) {
    int index = client.next;
    while (index < log.size() && isAcked(client, index)) {
      index++;
    }
    return index < log.size() && client.connected && !client.frozen ? index : -1;
  }

  private boolean deliver(Client client) {
    int index = nextOf(client);
    if (index < 0) {
      return false;
    }
    // A batch is one frame.
    int end = entryOf(index)[1];
    for (int i = index; i < end; i++) {
      if (!isAcked(client, i)) {
        send(client, i, 0, log.get(i).payload);
      }
    }
    client.next = end;
    return true;
  }

  private void send(Client client, int index, int count, long payload) {
    client.sent.set(index);
    client.everSent.set(index);
    Id id = log.get(index).id;
    emit(
        (l, m) ->
            new Event.Delivery(
                l, m, client.name, client.incarnation, "broker", id, count, payload));
  }

  private void redeliver(Client client) {
    if (!client.connected || client.frozen) {
      return;
    }
    if (client.contract == Contract.ORDERED) {
      emit((l, m) -> new Event.Redeliver(l, m, client.name, client.incarnation));
      deliver(client);
      client.next = 0;
      return;
    }
    int index = client.sent.nextSetBit(log.isEmpty() ? 0 : random.nextInt(log.size()));
    if (index >= 0 && !isAcked(client, index) && log.get(index).id.batchIndex() < 0) {
      send(
          client, index, client.redeliveries.merge(index, 1, Integer::sum), log.get(index).payload);
    }
  }

  private void acknowledge(Client client) {
    int index = client.sent.isEmpty() ? -1 : client.sent.nextSetBit(random.nextInt(log.size()));
    if (!client.connected || client.frozen || index < 0) {
      return;
    }
    boolean cumulative =
        client.contract == Contract.ORDERED ? random.nextInt(3) > 0 : random.nextInt(30) == 0;
    acknowledge(client, index, cumulative);
  }

  private void acknowledge(Client client, int index, boolean cumulative) {
    emit(
        (l, m) -> {
          Event.Ack ack =
              new Event.Ack(
                  l,
                  m,
                  Phase.INVOKED,
                  client.name,
                  client.incarnation,
                  log.get(index).id,
                  cumulative,
                  client.receipts);
          client.inFlight.add(new InFlight(ack, m));
          return ack;
        });
  }

  private void process(Client client, Event.Ack ack) {
    boolean taken = !ack.cumulative() || client.contract == Contract.ORDERED;
    int index = indexOf(ack.id());
    if (taken) {
      client.acked.set(ack.cumulative() ? 0 : index, index + 1);
    }
    if (client.receipts) {
      if (taken) {
        client.receiptMicros.put(index, ack.micros());
      }
      int incarnation = client.incarnation;
      client.late.add(
          () ->
              emit(
                  (l, m) ->
                      new Event.Ack(
                          l,
                          m,
                          Phase.OK,
                          client.name,
                          incarnation,
                          ack.id(),
                          ack.cumulative(),
                          true)));
      if (random.nextInt(4) > 0) {
        receive(client.late);
      }
    }
  }

  private int indexOf(Id id) {
    int low = 0;
    int high = log.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (log.get(middle).id.compareTo(id) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void seek(Client client) {
    if (!client.connected || client.frozen || log.isEmpty()) {
      return;
    }
    int to = entryOf(random.nextInt(log.size()))[0];
    Id id = random.nextInt(4) == 0 ? null : log.get(to).id;
    emit((l, m) -> new Event.Seek(l, m, Phase.INVOKED, client.name, client.incarnation, id));
    if (random.nextInt(4) == 0) {
      seekFails(client, to);
      return;
    }
    client.acked.clear();
    client.acked.set(0, to);
    client.stored = (BitSet) client.acked.clone();
    client.receiptMicros.clear();
    client.everSent.clear();
    disconnected(client);
    sampleMarkDelete();
    emit((l, m) -> new Event.Seek(l, m, Phase.OK, client.name, client.incarnation, null));
    subscribe(client);
  }

  /** One back may repeat messages, after the consumer has come back. */
  private void seekFails(Client client, int to) {
    sampleMarkDelete();
    boolean repeats = to < client.acked.nextClearBit(0) && random.nextBoolean();
    if (repeats) {
      client.acked.clear(to, log.size());
      client.stored = (BitSet) client.acked.clone();
      disconnected(client);
    }
    emit((l, m) -> new Event.Seek(l, m, Phase.FAILED, client.name, client.incarnation, null));
    if (repeats) {
      subscribe(client);
    }
  }

  // --- The broker ------------------------------------------------------------------------------

  private void fault(boolean crash) {
    fault(crash, true, () -> {});
  }

  private void fault(boolean crash, boolean confirmed, Runnable afterStoring) {
    int number = ++faults;
    String kind = crash ? "kill" : "unload";
    emit((l, m) -> new Event.Fault(l, m, Step.BEGUN, number, kind, crash));
    List<Client> connected = clients.stream().filter(client -> client.connected).toList();
    if (crash) {
      clients.forEach(client -> client.acked = (BitSet) client.stored.clone());
    } else {
      flush();
      afterStoring.run();
    }
    List<List<Runnable>> late = connected.stream().map(client -> List.copyOf(client.late)).toList();
    connected.forEach(this::disconnected);
    if (!crash) {
      // The connection stays.
      IntStream.range(0, late.size()).forEach(i -> connected.get(i).late.addAll(late.get(i)));
    }
    if (confirmed) {
      emit((l, m) -> new Event.Fault(l, m, Step.CONFIRMED, number, kind, crash));
    }
    ledger++;
    entry = -1;
    connected.forEach(this::subscribe);
    emit((l, m) -> new Event.Fault(l, m, Step.HEALED, number, kind, crash));
    if (crash) {
      crashOverMicros = micros;
    }
  }

  private void sampleMarkDelete() {
    int lowest = log.size();
    for (Client client : clients) {
      if (client.registered) {
        lowest = Math.min(lowest, client.acked.nextClearBit(0));
      }
    }
    // Of whole entries.
    int end = lowest == log.size() ? lowest : entryOf(lowest)[0];
    Id mark = end == 0 ? Id.of(7, -1) : log.get(end - 1).id;
    emit((l, m) -> new Event.MarkDelete(l, m, m, Id.of(mark.ledgerId(), mark.entryId())));
  }

  private void skip(int index, boolean counted) {
    if (index >= log.size()) {
      return;
    }
    int end = entryOf(index)[1];
    skippedTo = end;
    Id last = log.get(end - 1).id;
    emit((l, m) -> new Event.Skip(l, m, last));
    for (Client client : clients) {
      if (client.registered) {
        skipped += counted ? unacknowledgedEntries(client, end) : 0;
        client.acked.set(0, end);
        client.stored.set(0, end);
        client.next = Math.max(client.next, end);
      }
    }
    emit((l, m) -> new Event.SkipCount(l, m, "broker", skipped));
  }

  private long unacknowledgedEntries(Client client, int end) {
    return IntStream.range(0, end)
        .filter(i -> !client.acked.get(i))
        .map(i -> entryOf(i)[0])
        .distinct()
        .count();
  }

  /** Everybody who is registered gets and acknowledges everything, and storage has it. */
  private void settle() {
    while (!answers.isEmpty()) {
      answers.remove().run();
    }
    for (Client client : clients) {
      if (client.registered && !client.connected && !client.frozen) {
        subscribe(client);
      }
      settle(client, log.size());
    }
    flush();
  }

  private void settle(Client client, int end) {
    int next = nextOf(client);
    while (next >= 0 && next < end) {
      deliver(client);
      next = nextOf(client);
    }
    if (client.frozen || !client.connected) {
      return;
    }
    for (int i = client.sent.nextSetBit(0); i >= 0; i = client.sent.nextSetBit(i + 1)) {
      if (!isAcked(client, i)) {
        acknowledge(client, i, false);
      }
    }
    while (!client.inFlight.isEmpty()) {
      process(client, client.inFlight.remove().ack);
    }
  }

  // --- Faults of the subscription --------------------------------------------------------------

  private void plant() {
    calm = true;
    Client victim = clients.get(random.nextInt(clients.size()));
    if (!victim.registered || !victim.connected) {
      reconnect(victim);
    }
    if (!victim.registered) {
      calm = false;
      reconnect(victim);
      calm = true;
    }
    settle();
    planted = true;
    switch (plant) {
      case LOSS -> {
        publishOne();
        victim.acked.set(log.size() - 1);
        victim.stored.set(log.size() - 1);
        publishOne();
        deliver(victim);
      }
      case SWAP -> {
        // A new incarnation has not asked for anything again.
        reconnect(victim);
        publishOne();
        publishOne();
        deliverTo(other(victim));
        for (int index : new int[] {log.size() - 1, log.size() - 2}) {
          send(victim, index, 0, log.get(index).payload);
          victim.next = log.size();
        }
      }
      case REGRESSION -> regress(victim);
      case SILENT_SKIP -> {
        publishOne();
        clients.stream().filter(client -> client != victim).forEach(c -> settle(c, log.size()));
        skip(log.size() - 1, false);
      }
      case DIVERGENCE -> {
        publishOne();
        deliverTo(other(victim));
        send(victim, log.size() - 1, 0, -1);
        victim.next = log.size();
      }
      case EARLY_MARK_DELETE -> {
        publishOne();
        clients.stream().filter(client -> client != victim).forEach(c -> settle(c, log.size()));
        Id mark = log.get(log.size() - 1).id;
        // Asked for after what is known.
        micros++;
        emit((l, m) -> new Event.MarkDelete(l, m, m, mark));
      }
      case OMISSION -> {
        publishOne();
        deliver(victim);
        victim.acked.set(log.size() - 1);
        victim.stored.set(log.size() - 1);
        reconnect(victim);
        publishOne();
        deliver(victim);
      }
      case STARVATION -> victim.frozen = true;
      case UNCONFIRMED_FAULT -> fault(random.nextBoolean(), false, () -> {});
      case NOTHING -> throw new IllegalStateException();
    }
    if (plant == Plant.STARVATION) {
      publishOne();
    }
  }

  private Client other(Client victim) {
    return clients.get((clients.indexOf(victim) + 1) % clients.size());
  }

  private void deliverTo(Client client) {
    while (deliver(client)) {
      // Until it has everything.
    }
  }

  private void publishOne() {
    long payload = payloads++;
    emit((l, m) -> new Event.Publish(l, m, Phase.INVOKED, "producer", payload, null));
    Id id = store(payload, 1).get(0);
    emit((l, m) -> new Event.Publish(l, m, Phase.OK, "producer", payload, id));
  }

  /** A planned move forgets one acknowledgement that has a receipt. */
  private void regress(Client victim) {
    micros = Math.max(micros, crashOverMicros) + 2 * ACK_WAY_MICROS;
    publishOne();
    int index = log.size() - 1;
    deliver(victim);
    Id id = log.get(index).id;
    for (Phase phase : List.of(Phase.INVOKED, Phase.OK)) {
      emit((l, m) -> new Event.Ack(l, m, phase, victim.name, victim.incarnation, id, false, true));
    }
    fault(false, true, () -> victim.acked.clear(index));
    deliver(victim);
    victim.acked.set(index);
  }
}
