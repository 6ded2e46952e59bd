/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.report.html.Figure;
import io.pulsarbroadcast.benchmark.report.html.Figure.Line;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Asks a broker again and again how much memory it uses: heap after a garbage collection that it is
 * made to do, and direct memory as Netty counts it. One thread may call it.
 */
public final class MemorySampler implements AutoCloseable {
  private static final double BYTES_PER_MEGABYTE = 1 << 20;
  private static final int THIRDS = 3;

  /** How many of a phase say whether it is flat. */
  static final int MIN_SAMPLES = THIRDS;

  private static final double FLAT_SHARE = 0.10;
  private static final double FLAT_MEGABYTES = 32;

  /** One moment. */
  record Sample(String phase, double seconds, double heapMegabytes, double directMegabytes) {}

  /** Something that is to be flat. */
  record Measure(String name, Function<Sample, Double> megabytes) {}

  static final Measure HEAP = new Measure("heap after a collection", Sample::heapMegabytes);
  static final Measure DIRECT = new Measure("direct memory", Sample::directMegabytes);

  private final Broker broker;
  private final Path csv;
  private final ResultTable table =
      new ResultTable(
          "phase",
          "seconds",
          "heap after a collection, MB",
          "direct memory, MB",
          "entry cache, MB");
  private final long startNanos = System.nanoTime();
  private final List<Sample> samples = new CopyOnWriteArrayList<>();
  private final Periodic sampling;
  private volatile String phase = "";

  MemorySampler(Broker broker, Path csv, int everySeconds) {
    this.broker = broker;
    this.csv = csv;
    this.sampling = new Periodic("memory-sampler", 0, everySeconds, this::sample);
  }

  /** Names what is going on from now on. */
  void phase(String name) {
    phase = name;
  }

  private void sample() throws IOException, InterruptedException {
    String during = phase;
    broker.collectGarbage();
    // With ZGC one collection leaves what was allocated while it ran.
    broker.collectGarbage();
    MetricsPage page = broker.metrics();
    Sample sample =
        new Sample(
            during,
            (System.nanoTime() - startNanos) / 1e9,
            megabytes(page, "jvm_memory_pool_collection_used_bytes"),
            megabytes(page, "jvm_memory_direct_bytes_used"));
    samples.add(sample);
    table.row(
        during,
        sample.seconds,
        sample.heapMegabytes,
        sample.directMegabytes,
        megabytes(page, "pulsar_ml_cache_used_size"));
    // At once, so that a run that ends early leaves what it had.
    Files.writeString(csv, table.csv());
  }

  private static double megabytes(MetricsPage page, String metric) {
    return page.sum(metric) / BYTES_PER_MEGABYTE;
  }

  /** Whether the last third of a phase is hardly above its first. */
  Check flat(Measure measure, String during) {
    return flat(measure, during, FLAT_SHARE, FLAT_MEGABYTES);
  }

  /** Whether the last third of a phase is not above its first by more than both together. */
  Check flat(Measure measure, String during, double share, double megabytes) {
    double[] values =
        samples.stream()
            .filter(sample -> sample.phase.equals(during))
            .mapToDouble(sample -> measure.megabytes.apply(sample))
            .toArray();
    String text =
        AbstractScenario.format(
            "I8: %s is flat %s (last third at most %.0f %% and %.0f MB above the first)",
            measure.name, during, share * 100, megabytes);
    int third = values.length / THIRDS;
    if (third == 0) {
      return Check.counted(text, false, "%d samples, at least 3 are needed", values.length);
    }
    double first = mean(DoubleStream.of(values).limit(third));
    double last = mean(DoubleStream.of(values).skip(values.length - third));
    return Check.counted(
        text,
        isFlat(first, last, share, megabytes),
        "%.1f MB in the first third, %.1f MB in the last, %d samples",
        first,
        last,
        values.length);
  }

  /** Whether megabytes at the end are hardly more than at the beginning. */
  public static boolean isFlat(double first, double last) {
    return isFlat(first, last, FLAT_SHARE, FLAT_MEGABYTES);
  }

  private static boolean isFlat(double first, double last, double share, double megabytes) {
    return last <= first * (1 + share) + megabytes;
  }

  /** Draws all samples so far. */
  void plot(Session session) throws IOException {
    // Another sample may come meanwhile.
    List<Sample> taken = List.copyOf(samples);
    List<Double> seconds = taken.stream().map(Sample::seconds).toList();
    session.plot(
        Figure.lines(
            "memory",
            "Memory of the broker",
            "Time (s)",
            "Memory (MB)",
            "Heap after a garbage collection, and what Netty's pools have taken.",
            Stream.of(HEAP, DIRECT)
                .map(
                    measure ->
                        new Line(
                            measure.name, seconds, taken.stream().map(measure.megabytes).toList()))
                .toList()));
  }

  private static double mean(DoubleStream values) {
    return values.average().orElseThrow();
  }

  /** Throws when a sample could not be taken. */
  void check() throws IOException, InterruptedException {
    sampling.check();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    sampling.close();
  }
}
