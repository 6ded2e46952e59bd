/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.broker.BrokerHttp;
import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.broker.MetricsPage.Sample;
import io.pulsarbroadcast.process.RunningBroker;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One answer of a broker's /metrics. Immutable. */
public final class Scrape {

  private static final BrokerHttp HTTP = new BrokerHttp();

  private final List<Sample> samples;

  private Scrape(List<Sample> samples) {
    this.samples = samples;
  }

  /**
   * What the broker shows now. Who asks while an answer is being made for somebody else is given
   * that one, which may have been begun before: hence the second.
   */
  static Scrape of(RunningBroker broker) throws IOException, InterruptedException {
    get(broker, "/metrics/");
    return next(broker, line -> !line.startsWith("#"));
  }

  /**
   * Some lines of the broker's next answer, which may have been begun before, for somebody else. So
   * it says for certain only what there was to say when the answer before this one came.
   */
  public static Scrape next(RunningBroker broker, Predicate<String> lines)
      throws IOException, InterruptedException {
    List<String> shown = MetricsPage.lines(get(broker, "/metrics/")).filter(lines).toList();
    List<Sample> samples = MetricsPage.parse(String.join("\n", shown)).samples();
    assertThat(samples).as("every line is a sample: %s", shown).hasSameSizeAs(shown);
    return new Scrape(samples);
  }

  /** What an HTTP GET answers. */
  public static String get(RunningBroker broker, String path)
      throws IOException, InterruptedException {
    return get(URI.create(broker.adminUrl() + path));
  }

  static String get(URI uri) throws IOException, InterruptedException {
    return HTTP.get(uri.toString());
  }

  int size() {
    return samples.size();
  }

  Set<String> names() {
    return samples.stream().map(Sample::name).collect(Collectors.toSet());
  }

  /** The samples with these labels, and perhaps further ones. */
  List<Sample> with(String... labelsAndValues) {
    Map<String, String> labels = labels(labelsAndValues);
    return samples.stream()
        .filter(sample -> sample.labels().entrySet().containsAll(labels.entrySet()))
        .toList();
  }

  /** The values with these labels, and perhaps further ones, all together. */
  public double sum(String... labelsAndValues) {
    return with(labelsAndValues).stream().mapToDouble(Sample::value).sum();
  }

  /** The value of the one sample with this name and these labels. */
  double value(String name, String... labelsAndValues) {
    List<Sample> found =
        with(labelsAndValues).stream().filter(sample -> sample.name().equals(name)).toList();
    assertThat(found).as("%s %s", name, List.of(labelsAndValues)).hasSize(1);
    return found.get(0).value();
  }

  private static Map<String, String> labels(String... labelsAndValues) {
    return IntStream.range(0, labelsAndValues.length / 2)
        .boxed()
        .collect(Collectors.toMap(i -> labelsAndValues[2 * i], i -> labelsAndValues[2 * i + 1]));
  }
}
