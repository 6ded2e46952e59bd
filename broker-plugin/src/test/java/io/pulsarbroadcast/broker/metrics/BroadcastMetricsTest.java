/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.cursor.AbsentPositions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BroadcastMetricsTest {

  private static final String NAMESPACE = "city/traffic";

  private final BroadcastMetrics perTopic =
      new BroadcastMetrics(new MetricLabels("west", true, true, false), () -> 7);
  private final BroadcastMetrics perTopicButHistograms =
      new BroadcastMetrics(new MetricLabels("west", true, false, false), () -> 7);
  private final BroadcastMetrics perNamespace =
      new BroadcastMetrics(new MetricLabels("west", false, true, false), () -> 0);

  @Test
  void shouldLabelSeriesAsTheBrokerDoes() {
    of(perTopic, "area-7").delivered(3, 300, 0);

    assertThat(series(perTopic, "pulsar_broadcast_deliveries_total"))
        .containsExactly(
            "pulsar_broadcast_deliveries_total{cluster=\"west\",namespace=\"city/traffic\","
                + "subscription=\"alerts\",topic=\"persistent://city/traffic/area-7\",} 3.0");
    assertThat(series(perTopic, "pulsar_broadcast_event_loop_tasks"))
        .containsExactly("pulsar_broadcast_event_loop_tasks{cluster=\"west\",} 7.0");
  }

  @Test
  void shouldSplitThePartitionOffWhenTheBrokerDoes() {
    MetricLabels labels = new MetricLabels("west", true, true, true);
    String topic = "persistent://city/traffic/area-7";

    assertThat(labels.ofSubscription(NAMESPACE, topic + "-partition-12", "alerts"))
        .anyMatch(tag -> tag.getKey().equals("topic") && tag.getValue().equals(topic))
        .anyMatch(tag -> tag.getKey().equals("partition") && tag.getValue().equals("12"));
    assertThat(labels.ofSubscription(NAMESPACE, topic, "alerts"))
        .anyMatch(tag -> tag.getKey().equals("partition") && tag.getValue().equals("-1"));
  }

  @Test
  void shouldAddUpPerNamespaceAndTakeTheLargestDistance() {
    SubscriptionMetrics one = of(perNamespace, "area-7");
    SubscriptionMetrics other = of(perNamespace, "area-8");
    one.delivered(3, 300, 1);
    other.delivered(4, 400, 0);
    one.sampleFrom(
        () -> sample(new Lag(10, 500, 2), 1, new AbsentPositions(7, 90, 60_000, 40, 2), 1_000));
    other.sampleFrom(
        () -> sample(new Lag(20, 80, 30), 4, new AbsentPositions(7, 50, 90_000, 30, 1), 500));

    assertThat(value(perNamespace, "pulsar_broadcast_deliveries_total")).isEqualTo(7);
    assertThat(value(perNamespace, "pulsar_broadcast_redeliveries_total")).isEqualTo(1);
    assertThat(value(perNamespace, "pulsar_broadcast_subscriptions")).isEqualTo(2);
    assertThat(value(perNamespace, "pulsar_broadcast_consumers")).isEqualTo(30);
    assertThat(value(perNamespace, "pulsar_broadcast_positions_waiting")).isEqualTo(5);
    assertThat(value(perNamespace, "pulsar_broadcast_slowest_distance_entries")).isEqualTo(500);
    assertThat(value(perNamespace, "pulsar_broadcast_median_distance_entries")).isEqualTo(30);
    assertThat(value(perNamespace, "pulsar_broadcast_positions_store_bytes")).isEqualTo(1_500);
    assertThat(value(perNamespace, "pulsar_broadcast_absent_distance_entries")).isEqualTo(90);
    assertThat(value(perNamespace, "pulsar_broadcast_absent_distance_bytes")).isEqualTo(9_000);
    assertThat(value(perNamespace, "pulsar_broadcast_absent_age_seconds")).isEqualTo(90);
    assertThat(value(perNamespace, "pulsar_broadcast_absent_held_entries")).isEqualTo(70);
    assertThat(value(perNamespace, "pulsar_broadcast_positions_expiring")).isEqualTo(3);
  }

  @Test
  void shouldKeepCountersOfANamespaceUntilItsLastSubscriptionIsGone() {
    SubscriptionMetrics one = of(perNamespace, "area-7");
    SubscriptionMetrics other = of(perNamespace, "area-8");
    one.delivered(3, 300, 0);

    one.close();
    assertThat(value(perNamespace, "pulsar_broadcast_deliveries_total")).isEqualTo(3);

    other.close();
    assertThat(perNamespace.scrape()).doesNotContain(NAMESPACE);
  }

  @Test
  void shouldForgetAClosedSubscriptionAndKnowItAgainWhenClosingFailed() {
    SubscriptionMetrics metrics = of(perTopic, "area-7");
    metrics.delivered(3, 300, 0);

    metrics.close();
    metrics.delivered(1, 100, 0);
    metrics.close();
    assertThat(perTopic.scrape()).doesNotContain("area-7");

    metrics.reopen();
    metrics.delivered(2, 200, 0);
    assertThat(value(perTopic, "pulsar_broadcast_deliveries_total")).isEqualTo(2);
    assertThat(value(perTopic, "pulsar_broadcast_subscriptions")).isEqualTo(1);
  }

  /** Prometheus takes a counter that goes back for one that began anew. */
  @Test
  void shouldNotCountBackWhenAProducerSaysThatABatchHasFewerThanNoMessages() {
    SubscriptionMetrics metrics = of(perTopic, "area-7");
    metrics.delivered(3, 300, 0);

    metrics.delivered(-5, 100, 0);

    assertThat(value(perTopic, "pulsar_broadcast_deliveries_total")).isEqualTo(3);
    assertThat(value(perTopic, "pulsar_broadcast_delivered_bytes_total")).isEqualTo(400);
    assertThat(metrics.messagesOut()).isEqualTo(3);
  }

  /** Histograms may have been looked at before: they are no part of this. */
  @Test
  void shouldShowNothingOfASubscriptionThatClosesWhileItIsScraped() {
    SubscriptionMetrics closing = of(perTopicButHistograms, "area-7");
    of(perTopicButHistograms, "area-8").delivered(3, 300, 0);
    closing.sampleFrom(
        () -> {
          closing.close();
          return SubscriptionSample.NONE;
        });

    assertThat(perTopicButHistograms.scrape()).contains("area-8").doesNotContain("area-7");
  }

  @Test
  void shouldStartASubscriptionOfTheSameNameAnew() {
    SubscriptionMetrics before = of(perTopic, "area-7");
    before.delivered(3, 300, 0);
    before.close();

    of(perTopic, "area-7").delivered(1, 100, 0);

    assertThat(value(perTopic, "pulsar_broadcast_deliveries_total")).isEqualTo(1);
  }

  @Test
  void shouldAnswerThoughOneSubscriptionCannotBeSampled() {
    SubscriptionMetrics broken = of(perNamespace, "area-7");
    SubscriptionMetrics well = of(perNamespace, "area-8");
    broken.sampleFrom(() -> sample(new Lag(10, 0, 0), 0, AbsentPositions.NONE, 0));
    well.sampleFrom(() -> sample(new Lag(20, 0, 0), 0, AbsentPositions.NONE, 0));
    assertThat(value(perNamespace, "pulsar_broadcast_consumers")).isEqualTo(30);

    broken.sampleFrom(
        () -> {
          throw new IllegalStateException("closing");
        });
    well.sampleFrom(() -> sample(new Lag(25, 0, 0), 0, AbsentPositions.NONE, 0));

    assertThat(value(perNamespace, "pulsar_broadcast_consumers")).isEqualTo(35);
  }

  /** Subscribes and loads of topics would wait for thousands of samples. */
  @Test
  void shouldTakeSubscriptionsWhileItIsScraped() throws Exception {
    CountDownLatch scraping = new CountDownLatch(1);
    CountDownLatch taken = new CountDownLatch(1);
    AtomicBoolean waited = new AtomicBoolean();
    SubscriptionMetrics sampled = of(perTopic, "area-7");
    sampled.sampleFrom(
        () -> {
          scraping.countDown();
          waited.set(!isReached(taken));
          return SubscriptionSample.NONE;
        });
    ExecutorService prometheus = Executors.newSingleThreadExecutor();
    try {
      Future<String> scrape = prometheus.submit(perTopic::scrape);
      scraping.await();
      of(perTopic, "area-8").close();
      taken.countDown();
      assertThat(scrape.get()).contains("area-7").doesNotContain("area-8");
      assertThat(waited).isFalse();
    } finally {
      prometheus.shutdownNow();
    }
  }

  private static boolean isReached(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldHaveEverySkipCauseAndStageFromTheStart() {
    of(perTopic, "area-7").skipped(SkipCause.EXPIRED, 5);

    assertThat(series(perTopic, "pulsar_broadcast_skipped_entries_total"))
        .hasSize(SkipCause.values().length)
        .filteredOn(line -> line.endsWith(" 5.0"))
        .singleElement()
        .asString()
        .contains("cause=\"ttl\"");
    assertThat(series(perTopic, "pulsar_broadcast_stage_seconds_count"))
        .hasSize(Stage.values().length);
  }

  @Test
  void shouldAddHistogramsUpPerNamespaceAndHaveFewOtherSeries() {
    SubscriptionMetrics one = of(perTopicButHistograms, "area-7");
    SubscriptionMetrics other = of(perTopicButHistograms, "area-8");
    one.stage(Stage.NOTIFY, 1_000);
    other.stage(Stage.NOTIFY, 1_000);
    one.delivered(3, 300, 0);

    List<String> lines = perTopicButHistograms.scrape().lines().toList();
    assertThat(lines).filteredOn(line -> line.contains("area-7")).hasSizeBetween(20, 40);
    assertThat(series(perTopicButHistograms, "pulsar_broadcast_stage_seconds_count"))
        .filteredOn(line -> line.contains("stage=\"notify\""))
        .containsExactly(
            "pulsar_broadcast_stage_seconds_count{cluster=\"west\",namespace=\"city/traffic\","
                + "stage=\"notify\",} 2.0");

    one.close();
    assertThat(series(perTopicButHistograms, "pulsar_broadcast_stage_seconds_count"))
        .hasSize(Stage.values().length);
    other.close();
    assertThat(perTopicButHistograms.scrape()).doesNotContain(NAMESPACE);
    other.reopen();
    assertThat(series(perTopicButHistograms, "pulsar_broadcast_stage_seconds_count"))
        .hasSize(Stage.values().length);
  }

  @Test
  void shouldCountWhatConnectionsReport() {
    SubscriptionMetrics metrics = of(perTopic, "area-7");
    ConnectionGauges one = new ConnectionGauges(metrics);
    ConnectionGauges other = new ConnectionGauges(metrics);
    one.update(5, true);
    other.update(2, false);
    one.update(3, true);
    other.close();
    other.close();

    assertThat(value(perTopic, "pulsar_broadcast_connections")).isEqualTo(1);
    assertThat(value(perTopic, "pulsar_broadcast_laggards")).isEqualTo(3);
    assertThat(value(perTopic, "pulsar_broadcast_unwritable_connections")).isEqualTo(1);
  }

  @Test
  void shouldTimeAnEntryThatSomebodyWasSentAndNoOther() {
    SubscriptionMetrics metrics = of(perTopic, "area-7");
    PersistTimes times = new PersistTimes();
    times.persisted(4, 11);
    EntryTrace sent = EntryTrace.read(metrics, times.of(4, 11));
    sent.handedOver();
    sent.written();
    sent.written();
    sent.done();
    EntryTrace sentToNobody = EntryTrace.read(metrics, times.of(4, 12));
    sentToNobody.handedOver();
    sentToNobody.done();

    assertThat(value(perTopic, "pulsar_broadcast_persist_to_last_write_seconds_count"))
        .isEqualTo(1);
    assertThat(stageCount("notify")).isEqualTo(1);
    assertThat(stageCount("prepare")).isEqualTo(2);
    assertThat(stageCount("first_write")).isEqualTo(1);
    assertThat(stageCount("last_write")).isEqualTo(1);
  }

  @Test
  void shouldCountOneFirstWriteWhenTwoConnectionsAreFirstAtOnce() throws Exception {
    int entries = 20_000;
    SubscriptionMetrics metrics = of(perTopic, "area-7");
    List<EntryTrace> traces =
        Stream.generate(() -> EntryTrace.read(metrics, null)).limit(entries).toList();
    traces.forEach(EntryTrace::handedOver);
    AtomicInteger arrived = new AtomicInteger();
    Callable<Void> connection =
        () -> {
          int together = 0;
          for (EntryTrace trace : traces) {
            together += 2;
            arrived.incrementAndGet();
            while (arrived.get() < together) {
              Thread.onSpinWait();
            }
            trace.written();
          }
          return null;
        };
    ExecutorService connections = Executors.newFixedThreadPool(2);
    try {
      for (Future<Void> done : connections.invokeAll(List.of(connection, connection))) {
        done.get();
      }
    } finally {
      connections.shutdownNow();
    }

    assertThat(stageCount("first_write")).isEqualTo(entries);
  }

  @Test
  void shouldPutDurationsIntoTheirBuckets() {
    of(perTopic, "area-7").stage(Stage.NOTIFY, TimeUnit.MILLISECONDS.toNanos(15));

    List<String> buckets =
        series(perTopic, "pulsar_broadcast_stage_seconds_bucket").stream()
            .filter(line -> line.contains("stage=\"notify\""))
            .toList();

    assertThat(buckets).filteredOn(line -> line.contains("le=\"0.01\"")).allMatch(endsWith(0));
    assertThat(buckets).filteredOn(line -> line.contains("le=\"0.02\"")).allMatch(endsWith(1));
    assertThat(buckets).filteredOn(line -> line.contains("le=\"+Inf\"")).allMatch(endsWith(1));
  }

  private static Predicate<String> endsWith(int value) {
    return line -> line.endsWith(" " + value + ".0");
  }

  private double stageCount(String stage) {
    return series(perTopic, "pulsar_broadcast_stage_seconds_count").stream()
        .filter(line -> line.contains("stage=\"" + stage + "\""))
        .mapToDouble(BroadcastMetricsTest::valueOf)
        .sum();
  }

  /** With entries of a hundred bytes. */
  private static SubscriptionSample sample(
      Lag lag, int waiting, AbsentPositions absent, long storeBytes) {
    return new SubscriptionSample(
        lag, waiting, absent, absent.distanceEntries() * 100, 0, 0, storeBytes, false);
  }

  private static SubscriptionMetrics of(BroadcastMetrics metrics, String topic) {
    return metrics.subscription(NAMESPACE, "persistent://city/traffic/" + topic, "alerts");
  }

  private static double value(BroadcastMetrics metrics, String name) {
    List<String> found = series(metrics, name);
    assertThat(found).as(name).hasSize(1);
    return valueOf(found.get(0));
  }

  private static double valueOf(String line) {
    return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
  }

  private static List<String> series(BroadcastMetrics metrics, String name) {
    return metrics.scrape().lines().filter(line -> line.startsWith(name + "{")).toList();
  }
}
