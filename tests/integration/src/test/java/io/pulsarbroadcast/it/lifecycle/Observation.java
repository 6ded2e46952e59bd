/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.common.policies.data.SubscriptionStats;

/** What the broker says of one subscription, and waits until it says something. */
final class Observation {

  private static final String WAITING = "pulsar.broadcast.positions.waiting";
  private static final String POSITION = "pulsar.broadcast.position";
  private static final int POLL_MILLIS = 200;
  private static final int STATS_ATTEMPTS = 5;

  private final SkippedCounts skipped;
  private final PulsarAdmin admin;
  private final String topic;
  private final String subscription;
  private final long patienceMillis;

  Observation(
      SkippedCounts skipped,
      PulsarAdmin admin,
      String topic,
      String subscription,
      long patienceMillis) {
    this.skipped = skipped;
    this.admin = admin;
    this.topic = topic;
    this.subscription = subscription;
    this.patienceMillis = patienceMillis;
  }

  interface Condition {
    boolean holds() throws Exception;
  }

  void await(Condition condition, String what) throws Exception {
    await(condition, () -> what);
  }

  private void await(Condition condition, Supplier<String> what) throws Exception {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    while (!condition.holds()) {
      Difference.unless(System.nanoTime() < end, "waited in vain for %s", what.get());
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Null when there is no subscription. */
  private SubscriptionStats stats(boolean preciseBacklog) throws PulsarAdminException {
    for (int attempt = 1; ; attempt++) {
      try {
        return admin.topics().getStats(topic, preciseBacklog).getSubscriptions().get(subscription);
      } catch (PulsarAdminException.ServerSideErrorException e) {
        if (attempt == STATS_ATTEMPTS || !isFaultOfStock(e)) {
          throw e;
        }
      }
    }
  }

  /**
   * Stock Pulsar's statistics fail when the last subscription of a topic goes meanwhile, and when
   * two who ask work out the rate of expiry at the same moment.
   */
  private static boolean isFaultOfStock(PulsarAdminException.ServerSideErrorException e) {
    String message = e.getMessage();
    return (message.contains("NullPointerException")
            && message.contains("ManagedLedgerImpl.getEstimatedBacklogSize"))
        || (message.contains("Invalid period")
            && message.contains("PersistentMessageExpiryMonitor.updateRates"));
  }

  /** What it says of the connected consumers, to explain a difference. */
  String consumers() throws PulsarAdminException {
    SubscriptionStats stats = stats(false);
    return stats == null
        ? "no subscription"
        : stats.getConsumers().stream()
            .map(
                consumer ->
                    "%s with %d permits, %d messages sent, position %s"
                        .formatted(
                            consumer.getConsumerName(),
                            consumer.getAvailablePermits(),
                            consumer.getMsgOutCounter(),
                            consumer.getMetadata().get(POSITION)))
            .toList()
            .toString();
  }

  /** Waits until so many positions wait for their consumers' return. */
  void awaitWaiting(int expected) throws Exception {
    int[] waiting = new int[1];
    await(
        () -> (waiting[0] = waiting()) == expected,
        () -> "%d positions to wait; it were %d".formatted(expected, waiting[0]));
  }

  private int waiting() throws PulsarAdminException {
    SubscriptionStats stats = stats(false);
    Difference.unless(stats != null, "there is no subscription");
    return Integer.parseInt(stats.getSubscriptionProperties().getOrDefault(WAITING, "0"));
  }

  void awaitAbsent() throws Exception {
    await(() -> stats(false) == null, "the subscription to be deleted");
  }

  /** Counted in entries that there are: the broker's counters are off after a truncation. */
  void awaitNoBacklog() throws Exception {
    await(
        () -> stats(true).getMsgBacklog() == 0,
        "the backlog to be gone that everybody has acknowledged (I3)");
  }

  /** Waits until the subscription's position is not before an entry. */
  void awaitPosition(MessageIdAdv entry) throws Exception {
    String[] position = new String[1];
    await(
        () -> !isBefore(position[0] = markDeletePosition(), entry),
        () -> "what is up to %s to be expired; the position is %s".formatted(entry, position[0]));
  }

  private String markDeletePosition() throws PulsarAdminException {
    return admin.topics().getInternalStats(topic).cursors.get(subscription).markDeletePosition;
  }

  private static boolean isBefore(String position, MessageIdAdv entry) {
    String[] ids = position.split(":");
    long ledger = Long.parseLong(ids[0]);
    return ledger < entry.getLedgerId()
        || (ledger == entry.getLedgerId() && Long.parseLong(ids[1]) < entry.getEntryId());
  }

  /** Begins to observe how many entries the broker counts as missed, for a cause (I6). */
  Missing missing(String cause) throws Exception {
    return new Missing(cause, skipped.of(topic, cause));
  }

  /** What the broker counts from now on. */
  final class Missing {
    private final String cause;
    private final long before;

    private Missing(String cause, long before) {
      this.cause = cause;
      this.before = before;
    }

    /**
     * Waits until it has counted what is missed, and no more than that.
     *
     * @return what it has counted
     */
    long await(Missed missed) throws Exception {
      long[] counted = new long[1];
      Observation.this.await(
          () -> (counted[0] = skipped.of(topic, cause) - before) >= missed.least(),
          () ->
              "%d entries at least to be counted as missed because of %s; it were %d (I6)"
                  .formatted(missed.least(), cause, counted[0]));
      Difference.unless(
          counted[0] <= missed.most(),
          "%d entries are counted as missed because of %s, of %d at most (I6)",
          counted[0],
          cause,
          missed.most());
      return counted[0];
    }
  }
}
