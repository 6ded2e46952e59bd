/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The check that the broker is of a line this build is for. Touches nothing of the broker, so it
 * runs on any line.
 */
final class BrokerVersion {

  private static final Pattern MAJOR_MINOR = Pattern.compile("(\\d+)\\.(\\d+)(\\D.*)?");

  private BrokerVersion() {}

  /**
   * Checks the broker's version.
   *
   * @throws IllegalStateException in one sentence, when the line is not supported
   */
  static void check(String version) {
    Matcher matcher = version == null ? null : MAJOR_MINOR.matcher(version);
    boolean understood = matcher != null && matcher.matches();
    if (!understood || !matcher.group(1).equals("3")) {
      String line = understood ? "Pulsar " + matcher.group(1) + "." + matcher.group(2) : version;
      throw new IllegalStateException(
          "pulsar-broadcast does not support this broker's version %s: this NAR is made for Pulsar 3.x; install a pulsar-broadcast-broker NAR made for %s instead, or take the NAR and brokerInterceptors=pulsar-broadcast out"
              .formatted(version, line));
    }
  }
}
