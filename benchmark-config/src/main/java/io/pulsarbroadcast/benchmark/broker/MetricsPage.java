/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.ArrayList;
import java.util.List;

/** One answer of a broker's Prometheus page. Immutable; any thread may call it. */
final class MetricsPage {
  private record Sample(String name, String labels, double value) {}

  private final List<Sample> samples;

  private MetricsPage(List<Sample> samples) {
    this.samples = samples;
  }

  static MetricsPage parse(String text) {
    List<Sample> samples = new ArrayList<>();
    text.lines()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .forEach(line -> add(line, samples));
    return new MetricsPage(samples);
  }

  private static void add(String line, List<Sample> samples) {
    int labelsEnd = line.lastIndexOf('}');
    int labelsStart = line.indexOf('{');
    boolean labelled = labelsStart >= 0 && labelsEnd > labelsStart;
    int nameEnd = labelled ? labelsStart : line.indexOf(' ');
    if (nameEnd <= 0) {
      return;
    }
    String labels = labelled ? line.substring(labelsStart + 1, labelsEnd) : "";
    String[] rest = line.substring(labelled ? labelsEnd + 1 : nameEnd).strip().split(" ", 2);
    try {
      samples.add(new Sample(line.substring(0, nameEnd), labels, Double.parseDouble(rest[0])));
    } catch (NumberFormatException e) {
      // Not a sample; such lines are of no use here.
    }
  }

  /** The sum of all samples of this name whose labels contain this text; NaN when there is none. */
  double sum(String name, String labelText) {
    return samples.stream()
        .filter(sample -> sample.name.equals(name) && sample.labels.contains(labelText))
        .mapToDouble(Sample::value)
        .reduce(Double::sum)
        .orElse(Double.NaN);
  }

  double sum(String name) {
    return sum(name, "");
  }
}
