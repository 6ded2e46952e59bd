/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * N consumers of one topic over C connections. Any thread may call it; the work is done by its own
 * event loops.
 *
 * <p>Consumer i has the name and the subscription that {@link LoadConfig} gives index i. Consumers
 * are shared out to the connections in runs of neighbours, as evenly as possible.
 */
public final class ConsumerFleet implements AutoCloseable {
  private static final long POLL_MILLIS = 5;

  private record Share(BrokerConnection connection, int first, int end) {}

  private final LoadConfig config;
  private final ConsumerTable table;
  private final FleetCounters counters;
  private final Transport transport;
  private final List<LoopStats> stats = new ArrayList<>();
  private final List<List<Share>> sharesOfLoop = new ArrayList<>();
  private final List<ConnectGate> gates = new ArrayList<>();
  private volatile long startNanos;

  /** Allocates; nothing connects before {@link #start()}. */
  public ConsumerFleet(LoadConfig config) {
    SourceAddresses.checkOpenFiles(config.connections);
    this.config = config;
    this.table =
        new ConsumerTable(
            config.consumers,
            config.messages,
            config.ackPolicy.kind() != AckPolicy.Kind.INDIVIDUAL);
    this.counters = new FleetCounters(config.consumers);
    BrokerAddress.parseAll(config.serviceUrl);
    this.transport = new Transport(config.ioThreads);
    for (int loop = 0; loop < transport.loopCount(); loop++) {
      stats.add(new LoopStats(config.messages, config.warmupMessages));
      sharesOfLoop.add(new ArrayList<>());
      gates.add(new ConnectGate());
    }
    for (int i = 0; i < config.connections; i++) {
      addConnection(i);
    }
  }

  private void addConnection(int index) {
    int first = (int) ((long) config.consumers * index / config.connections);
    int end = (int) ((long) config.consumers * (index + 1) / config.connections);
    int loop = index % transport.loopCount();
    BrokerConnection connection =
        new BrokerConnection(
            config,
            transport.bootstrap(),
            transport.loop(loop),
            gates.get(loop),
            table,
            stats.get(loop),
            counters,
            index,
            first,
            end);
    sharesOfLoop.get(loop).add(new Share(connection, first, end));
  }

  /** Begins to connect and subscribe, and returns at once. */
  public void start() {
    startNanos = System.nanoTime();
    onEveryConnection(BrokerConnection::start);
  }

  /**
   * Returns when all consumers are subscribed.
   *
   * @throws FleetException when one is refused for good, or the time is over; says the first error
   */
  public void awaitSubscribed(Duration timeout) throws FleetException, InterruptedException {
    boolean settled = awaitSettled(timeout);
    throwFatal();
    if (counters.failed.get() > 0 || !settled) {
      throw FleetException.refused(
          "%d of %d consumers are subscribed to %s%s; first error: %s"
              .formatted(
                  counters.subscribed.get(),
                  config.consumers,
                  config.topic,
                  settled ? "" : " after " + timeout.toSeconds() + " s",
                  counters.firstError.get()));
    }
  }

  /** True as soon as all are subscribed or {@link #awaitSubscribed} would throw at once. */
  public boolean awaitSettled(Duration timeout) throws InterruptedException {
    return await(
        timeout,
        () ->
            counters.fatalError.get() != null
                || counters.failed.get() > 0
                || counters.subscribed.get() == config.consumers);
  }

  /**
   * Waits until so many messages were received for the first time, summed over consumers; false
   * when none arrives for the quiet period.
   */
  public boolean awaitReceived(long count, Duration quietPeriod)
      throws FleetException, InterruptedException {
    long last = -1;
    long lastChangeNanos = System.nanoTime();
    while (true) {
      throwFatal();
      long received = received();
      if (received >= count) {
        return true;
      }
      if (received != last) {
        last = received;
        lastChangeNanos = System.nanoTime();
      } else if (System.nanoTime() - lastChangeNanos > quietPeriod.toNanos()) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Throws when the fleet cannot go on. */
  public void throwFatal() throws FleetException {
    if (counters.fatalError.get() != null) {
      throw FleetException.failed(counters.fatalError.get());
    }
  }

  /** First receptions so far, summed over consumers. */
  public long received() {
    return stats.stream().mapToLong(LoopStats::receivedSoFar).sum();
  }

  /** How many consumers are subscribed at this moment. */
  public int subscribed() {
    return counters.subscribed.get();
  }

  /** How often the broker closed a consumer so far, as it does after a seek or an unload. */
  public int closedByBroker() {
    return counters.closedByBroker.get();
  }

  /** Connections that ended unasked so far. */
  public int connectionsLost() {
    return counters.connectionsLost.get();
  }

  /** Everything counted and measured so far. The fleet may be running. */
  public FleetSnapshot snapshot() {
    SnapshotCollector collector = new SnapshotCollector(table, config.messages);
    for (int i = 0; i < transport.loopCount(); i++) {
      LoopStats ofLoop = stats.get(i);
      List<Share> shares = sharesOfLoop.get(i);
      runOn(
          transport.loop(i),
          () -> {
            collector.add(ofLoop);
            shares.forEach(share -> collector.addRows(share.first, share.end));
          });
    }
    return collector.snapshot(counters, startNanos);
  }

  /** Up to {@code limit} consumers that lack one of the first messages, each with what it lacks. */
  public List<String> describeMissing(int messages, int limit) {
    List<String> found = new ArrayList<>();
    for (int i = 0; i < transport.loopCount(); i++) {
      List<Share> shares = sharesOfLoop.get(i);
      runOn(transport.loop(i), () -> shares.forEach(s -> addMissing(s, messages, limit, found)));
    }
    return found;
  }

  private void addMissing(Share share, int messages, int limit, List<String> found) {
    for (int c = share.first; c < share.end && found.size() < limit; c++) {
      int consumer = c;
      String lacking =
          IntStream.range(0, messages)
              .filter(message -> !table.hasReceived(consumer, message))
              .mapToObj(Integer::toString)
              .collect(Collectors.joining(", "));
      if (!lacking.isEmpty()) {
        found.add(config.consumerName.apply(consumer) + " lacks " + lacking);
      }
    }
  }

  /** Whether every consumer has each of the first messages, whatever else it has. */
  public boolean hasAll(int messages) {
    long[] receivers = new long[messages];
    for (int i = 0; i < transport.loopCount(); i++) {
      LoopStats ofLoop = stats.get(i);
      runOn(
          transport.loop(i),
          () -> {
            for (int message = 0; message < messages; message++) {
              receivers[message] += ofLoop.receivers[message];
            }
          });
    }
    return LongStream.of(receivers).allMatch(count -> count == config.consumers);
  }

  /** Ends every connection with a reset, all at once; with reconnect they come back. */
  public void dropConnections() {
    onEveryConnection(BrokerConnection::drop);
  }

  /** Ends one connection with a reset, by its number; with reconnect it comes back. */
  public void dropConnection(int index) {
    int loop = index % transport.loopCount();
    BrokerConnection connection =
        sharesOfLoop.get(loop).get(index / transport.loopCount()).connection;
    transport.loop(loop).execute(connection::drop);
  }

  /** Reads nothing from any socket any more; permits and acknowledgements stay as they are. */
  public void pauseReading() {
    onEveryConnection(connection -> connection.reading(false));
  }

  /** Reads again after {@link #pauseReading()}. */
  public void resumeReading() {
    onEveryConnection(connection -> connection.reading(true));
  }

  /** Sends an unasked sign of life, for fleets that do not read the broker's questions. */
  public void keepAlive() {
    onEveryConnection(BrokerConnection::keepAlive);
  }

  /** Gives every consumer more permits. */
  public void grantPermits(int permits) {
    onEveryShare(share -> share.connection.grantPermits(share.first, share.end, permits));
  }

  /** Where a consumer is to go. */
  public record Place(long ledgerId, long entryId) {}

  /** Moves consumers to messages by seek; null leaves one where it is. Needs reconnect. */
  public void seek(IntFunction<Place> placeOfConsumer) {
    onEveryShare(
        share -> {
          for (int consumer = share.first; consumer < share.end; consumer++) {
            Place place = placeOfConsumer.apply(consumer);
            if (place != null) {
              share.connection.seek(consumer, place.ledgerId, place.entryId);
            }
          }
        });
  }

  /** Unsubscribes all consumers, so that the broker keeps nothing for them; false when too slow. */
  public boolean unsubscribe(Duration timeout) throws InterruptedException {
    onEveryConnection(BrokerConnection::leave);
    return await(timeout, () -> counters.left.get() == config.consumers);
  }

  /** Closes all connections. Durable subscriptions stay at the broker. */
  @Override
  public void close() {
    onEveryConnection(BrokerConnection::close);
    transport.close();
  }

  private void onEveryConnection(Consumer<BrokerConnection> action) {
    onEveryShare(share -> action.accept(share.connection));
  }

  private void onEveryShare(Consumer<Share> action) {
    for (int i = 0; i < transport.loopCount(); i++) {
      List<Share> shares = sharesOfLoop.get(i);
      EventLoop loop = transport.loop(i);
      if (!loop.isShuttingDown()) {
        loop.execute(() -> shares.forEach(action));
      }
    }
  }

  /** What the event loop wrote is visible to the caller afterwards, and the other way round. */
  private static void runOn(EventLoop loop, Runnable action) {
    if (loop.isShuttingDown()) {
      action.run();
      return;
    }
    Future<?> done = loop.submit(action);
    done.syncUninterruptibly();
  }

  private static boolean await(Duration timeout, BooleanSupplier condition)
      throws InterruptedException {
    long startNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - startNanos > timeout.toNanos()) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }
}
