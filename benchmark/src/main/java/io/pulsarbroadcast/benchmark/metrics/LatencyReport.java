/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A latency distribution as it stands in the JSON file, in microseconds. Immutable; any thread may
 * call it.
 *
 * @param count how many values
 * @param minMicros smallest
 * @param meanMicros arithmetic mean
 * @param p50Micros median
 * @param p90Micros 90th percentile
 * @param p99Micros 99th percentile
 * @param p999Micros 99.9th percentile
 * @param maxMicros largest
 * @param percentiles the whole curve
 * @param buckets the histogram in raw form: every value that occurred, and how often
 * @param hdrHistogram the histogram in HdrHistogram's compressed V2 encoding, base64
 */
public record LatencyReport(
    long count,
    long minMicros,
    double meanMicros,
    long p50Micros,
    long p90Micros,
    long p99Micros,
    long p999Micros,
    long maxMicros,
    List<Percentile> percentiles,
    List<Bucket> buckets,
    String hdrHistogram) {
  private static final int TICKS_PER_HALF_DISTANCE = 10;

  /** A point of the percentile curve. */
  public record Percentile(double percentile, long micros) {}

  /** A value of the histogram, at its resolution of three digits. */
  public record Bucket(long micros, long count) {}

  public static LatencyReport of(Histogram micros) {
    List<Percentile> percentiles = new ArrayList<>();
    for (HistogramIterationValue value : micros.percentiles(TICKS_PER_HALF_DISTANCE)) {
      percentiles.add(
          new Percentile(value.getPercentileLevelIteratedTo(), value.getValueIteratedTo()));
    }
    List<Bucket> buckets = new ArrayList<>();
    for (HistogramIterationValue value : micros.recordedValues()) {
      buckets.add(new Bucket(value.getValueIteratedTo(), value.getCountAtValueIteratedTo()));
    }
    return new LatencyReport(
        micros.getTotalCount(),
        micros.getMinValue(),
        micros.getMean(),
        micros.getValueAtPercentile(50),
        micros.getValueAtPercentile(90),
        micros.getValueAtPercentile(99),
        micros.getValueAtPercentile(99.9),
        micros.getMaxValue(),
        percentiles,
        buckets,
        encode(micros));
  }

  private static String encode(Histogram micros) {
    ByteBuffer buffer = ByteBuffer.allocate(micros.getNeededByteBufferCapacity());
    int bytes = micros.encodeIntoCompressedByteBuffer(buffer);
    byte[] encoded = new byte[bytes];
    buffer.get(0, encoded);
    return Base64.getEncoder().encodeToString(encoded);
  }

  /** The histogram again, for whoever reads the file. */
  public Histogram decode() {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(hdrHistogram)), 0);
    } catch (DataFormatException e) {
      throw new IllegalStateException("hdrHistogram is not a compressed V2 histogram", e);
    }
  }
}
