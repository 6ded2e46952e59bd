/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

import io.pulsarbroadcast.benchmark.load.BrokerAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Values of options that are more than one number: what they mean, or an {@link
 * InvalidOptionException}. Any thread may call it.
 */
public final class OptionValues {
  private OptionValues() {}

  /** Whole numbers with commas between. */
  public static List<Integer> numbers(String option, String value, int lowest, int highest) {
    List<Integer> numbers = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      try {
        int number = Integer.parseInt(part.strip());
        if (number >= lowest && number <= highest) {
          numbers.add(number);
          continue;
        }
      } catch (NumberFormatException e) {
        // Said below.
      }
      throw new InvalidOptionException(
          "%s is %s; allowed: whole numbers from %d to %d, separated by commas"
              .formatted(option, value, lowest, highest));
    }
    return numbers;
  }

  /** {@code --service-url}: of a broker, without TLS. */
  public static void checkServiceUrl(String value) {
    try {
      BrokerAddress.parse(value);
      if (value.matches("pulsar://[^/\\s]+")) {
        return;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new InvalidOptionException("--service-url is " + value + "; allowed: pulsar://host:port");
  }

  /** {@code --output}: a folder, which need not be there yet. */
  public static void checkOutput(Path value) {
    if (Files.exists(value) && !Files.isDirectory(value)) {
      throw new InvalidOptionException("--output is " + value + "; allowed: a folder");
    }
  }
}
