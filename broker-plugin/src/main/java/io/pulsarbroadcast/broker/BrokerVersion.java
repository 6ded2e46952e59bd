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
    if (matcher == null || !matcher.matches() || !matcher.group(1).equals("3")) {
      throw new IllegalStateException(
          "pulsar-broadcast does not support this broker's version "
              + version
              + ": this build is for the Pulsar 3.x lines, take brokerInterceptors=pulsar-broadcast and the NAR out or"
              + " install the build made for this line");
    }
  }
}
