/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.process.RunningBroker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One answer of a broker's /metrics. Immutable. */
public final class Scrape {

  private static final Pattern SAMPLE =
      Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)(?: \\d+)?", Pattern.DOTALL);
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  private final List<Sample> samples;

  /** One line. */
  record Sample(String name, Map<String, String> labels, double value) {
    boolean has(Map<String, String> some) {
      return labels.entrySet().containsAll(some.entrySet());
    }
  }

  private Scrape(List<Sample> samples) {
    this.samples = samples;
  }

  /**
   * What the broker shows now. Who asks while an answer is being made for somebody else is given
   * that one, which may have been begun before: hence the second.
   */
  static Scrape of(RunningBroker broker) throws IOException, InterruptedException {
    return of(broker, line -> !line.startsWith("#"));
  }

  /** The same of some lines only. */
  public static Scrape of(RunningBroker broker, Predicate<String> lines)
      throws IOException, InterruptedException {
    get(broker, "/metrics/");
    return new Scrape(get(broker, "/metrics/").lines().filter(lines).map(Scrape::sample).toList());
  }

  /** What an HTTP GET answers. */
  public static String get(RunningBroker broker, String path)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(broker.adminUrl() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(path).isEqualTo(200);
    return response.body();
  }

  private static Sample sample(String line) {
    Matcher matcher = SAMPLE.matcher(line);
    assertThat(matcher.matches()).as("a sample: %s", line).isTrue();
    Map<String, String> labels =
        matcher.group(2) == null
            ? Map.of()
            : LABEL
                .matcher(matcher.group(2))
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));
    return new Sample(matcher.group(1), labels, number(matcher.group(3)));
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
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
    return samples.stream().filter(sample -> sample.has(labels)).toList();
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
