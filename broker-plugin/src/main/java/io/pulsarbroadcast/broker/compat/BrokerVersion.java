/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check that the broker is of a line this build is for. Touches nothing of the broker, so it
 * runs on any line.
 */
public final class BrokerVersion {

  private static final Logger log = LoggerFactory.getLogger(BrokerVersion.class);

  /** The versions that the tests run on, one of each line. */
  private static final List<String> TESTED = List.of("3.0.7", "3.3.6", "4.0.8", "4.2.4");

  private static final Pattern MAJOR_MINOR = Pattern.compile("(\\d+\\.\\d+)(\\D.*)?");

  private BrokerVersion() {}

  /**
   * Checks the broker's version; warns of one that is not tested, of a line that is.
   *
   * @throws IllegalStateException in one sentence, when the line is not supported
   */
  public static void check(String version) {
    List<String> lines = TESTED.stream().map(BrokerVersion::lineOf).toList();
    if (!lines.contains(lineOf(String.valueOf(version)))) {
      throw refusal(version, "this NAR is made for Pulsar " + String.join(", ", lines));
    }
    if (!TESTED.contains(version)) {
      log.warn(
          "pulsar-broadcast is tested on Pulsar {}, and not on this broker's version {}: try it before it serves consumers",
          String.join(", ", TESTED),
          version);
    }
  }

  private static String lineOf(String version) {
    Matcher matcher = MAJOR_MINOR.matcher(version);
    return matcher.matches() ? matcher.group(1) : "";
  }

  /**
   * What ends the start of a broker that the plugin does not fit.
   *
   * @param version the broker's
   * @param why what does not fit, without a full stop
   */
  public static IllegalStateException refusal(String version, String why) {
    return new IllegalStateException(
        "pulsar-broadcast does not fit this broker's version %s: %s; install a pulsar-broadcast-broker NAR made for it instead, or take the NAR and brokerInterceptors=pulsar-broadcast out"
            .formatted(version, why));
  }
}
