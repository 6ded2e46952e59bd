/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import io.pulsarbroadcast.benchmark.server.Jcmd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Asks a broker again and again how much memory it uses: heap after a garbage collection that it is
 * made to do, and direct memory as Netty counts it. One thread may call it.
 */
final class MemorySampler implements AutoCloseable {
  private static final double BYTES_PER_MEGABYTE = 1 << 20;
  private static final int THIRDS = 3;

  /** One moment. */
  record Sample(String phase, double seconds, double heapMegabytes, double directMegabytes) {}

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
  private final List<Sample> samples = new ArrayList<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "memory-sampler");
            thread.setDaemon(true);
            return thread;
          });
  private final ScheduledFuture<?> sampling;
  private volatile String phase = "";

  MemorySampler(Broker broker, Path csv, int everySeconds) {
    this.broker = broker;
    this.csv = csv;
    this.sampling = timer.scheduleAtFixedRate(this::sample, 0, everySeconds, TimeUnit.SECONDS);
  }

  /** Names what is going on from now on. */
  void phase(String name) {
    phase = name;
  }

  private void sample() {
    try {
      String during = phase;
      new Jcmd(broker.process().orElseThrow()).run("GC.run");
      MetricsPage page = broker.metrics();
      Sample sample =
          new Sample(
              during,
              (System.nanoTime() - startNanos) / 1e9,
              megabytes(page, "jvm_memory_pool_collection_used_bytes"),
              megabytes(page, "jvm_memory_direct_bytes_used"));
      synchronized (samples) {
        samples.add(sample);
      }
      table.row(
          during,
          sample.seconds,
          sample.heapMegabytes,
          sample.directMegabytes,
          megabytes(page, "pulsar_ml_cache_used_size"));
      // At once, so that a run that ends early leaves what it had.
      Files.writeString(csv, table.csv());
    } catch (IOException e) {
      throw new IllegalStateException("The broker's memory cannot be read: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static double megabytes(MetricsPage page, String metric) {
    return page.sum(metric) / BYTES_PER_MEGABYTE;
  }

  List<Sample> samples() {
    synchronized (samples) {
      return List.copyOf(samples);
    }
  }

  /**
   * Whether the last third of a phase is hardly above its first: by no more than this share and
   * this many megabytes.
   */
  Check flat(
      String what, String during, ToDoubleFunction<Sample> value, double share, double megabytes) {
    double[] values =
        samples().stream().filter(s -> s.phase.equals(during)).mapToDouble(value).toArray();
    String text =
        AbstractScenario.format(
            "I8: %s is flat %s (last third at most %.0f %% and %.0f MB above the first)",
            what, during, share * 100, megabytes);
    int third = values.length / THIRDS;
    if (third == 0) {
      return Check.counted(text, false, values.length + " samples, at least 3 are needed");
    }
    double first = mean(values, 0, third);
    double last = mean(values, values.length - third, values.length);
    return Check.counted(
        text,
        last <= first * (1 + share) + megabytes,
        AbstractScenario.format(
            "%.1f MB in the first third, %.1f MB in the last, %d samples",
            first, last, values.length));
  }

  private static double mean(double[] values, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++) {
      sum += values[i];
    }
    return sum / (to - from);
  }

  /** Throws when a sample could not be taken. */
  void check() throws IOException, InterruptedException {
    if (sampling.isDone()) {
      try {
        sampling.get();
      } catch (ExecutionException e) {
        throw new IOException(e.getCause().getMessage(), e.getCause());
      }
    }
  }

  @Override
  public void close() throws IOException {
    timer.shutdownNow();
    try {
      if (!timer.awaitTermination(1, TimeUnit.MINUTES)) {
        throw new IOException("A sample of the broker's memory takes longer than a minute");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
