/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.broker;

import java.util.ArrayList;
import java.util.List;

/** One answer of a broker's Prometheus page. Immutable; any thread may call it. */
public final class MetricsPage {
  private static final class Sample {
    private final String name;
    private final String labels;
    private final double value;

    Sample(String name, String labels, double value) {
      this.name = name;
      this.labels = labels;
      this.value = value;
    }

    boolean is(String wantedName, String... labelTexts) {
      if (!name.equals(wantedName)) {
        return false;
      }
      for (String text : labelTexts) {
        if (!labels.contains(text)) {
          return false;
        }
      }
      return true;
    }
  }

  private final List<Sample> samples;

  private MetricsPage(List<Sample> samples) {
    this.samples = samples;
  }

  public static MetricsPage parse(String text) {
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

  /**
   * The sum of all samples of this name whose labels contain each of these texts, such as {@code
   * stage="notify"}; NaN when there is none.
   */
  public double sum(String name, String... labelTexts) {
    return samples.stream()
        .filter(sample -> sample.is(name, labelTexts))
        .mapToDouble(sample -> sample.value)
        .reduce(Double::sum)
        .orElse(Double.NaN);
  }
}
