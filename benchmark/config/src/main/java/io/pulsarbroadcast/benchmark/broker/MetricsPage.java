/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.broker;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One answer of a broker's Prometheus page. Immutable; any thread may call it. */
public final class MetricsPage {
  private static final Pattern SAMPLE =
      Pattern.compile("([^{\\s#]+)(?:\\{(.*)\\})?\\s+(\\S+).*", Pattern.DOTALL);
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  /** One line. Immutable. */
  public static final class Sample {
    private final String name;
    private final String labels;
    private final double value;

    private Sample(String name, String labels, double value) {
      this.name = name;
      this.labels = labels;
      this.value = value;
    }

    public String name() {
      return name;
    }

    public double value() {
      return value;
    }

    /** Value by name; read anew with each call, because few are asked for. */
    public Map<String, String> labels() {
      return LABEL
          .matcher(labels)
          .results()
          .collect(Collectors.toUnmodifiableMap(found -> found.group(1), found -> found.group(2)));
    }

    private boolean is(String wantedName, String... labelTexts) {
      return name.equals(wantedName) && Stream.of(labelTexts).allMatch(labels::contains);
    }
  }

  private final List<Sample> samples;

  private MetricsPage(List<Sample> samples) {
    this.samples = samples;
  }

  /** The lines of a page: the name of a topic, which clients choose, may have other line ends. */
  public static Stream<String> lines(String text) {
    return Stream.of(text.split("\n"));
  }

  /** Lines that are no samples are left out. */
  public static MetricsPage parse(String text) {
    return new MetricsPage(
        lines(text)
            .map(MetricsPage::sample)
            .filter(Objects::nonNull)
            .collect(Collectors.toUnmodifiableList()));
  }

  /** Null when the line is none. */
  private static Sample sample(String line) {
    Matcher found = SAMPLE.matcher(line);
    if (!found.matches()) {
      return null;
    }
    try {
      double value = Double.parseDouble(found.group(3).replace("Inf", "Infinity"));
      return new Sample(found.group(1), Objects.requireNonNullElse(found.group(2), ""), value);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** All of them, in the order of the page. */
  public List<Sample> samples() {
    return samples;
  }

  /**
   * The sum of all samples of this name whose labels contain each of these texts, such as {@code
   * stage="notify"}; NaN when there is none.
   */
  public double sum(String name, String... labelTexts) {
    return samples.stream()
        .filter(sample -> sample.is(name, labelTexts))
        .mapToDouble(Sample::value)
        .reduce(Double::sum)
        .orElse(Double.NaN);
  }
}
