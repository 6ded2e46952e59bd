/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static io.pulsarbroadcast.admin.terminal.CommandException.wrongUse;

import io.pulsarbroadcast.admin.terminal.CommandException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.naming.TopicDomain;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.RelativeTimeUtil;

/** What was given on the command line, by the first name of each parameter; null if not given. */
record Arguments(Map<String, Object> given) {

  boolean flag(String option) {
    return Boolean.TRUE.equals(given.get(option));
  }

  boolean json() {
    return flag(Parameters.JSON);
  }

  String subscription() throws CommandException {
    return required(Parameters.SUBSCRIPTION);
  }

  String text(String option) throws CommandException {
    String text = (String) given.get(option);
    if (text == null) {
      return null;
    }
    if (text.isEmpty()) {
      throw wrongUse(option + " is empty");
    }
    // The JDK decodes arguments in the locale's charset; what that has not becomes U+FFFD.
    String charset = System.getProperty("sun.jnu.encoding");
    if (text.indexOf('\uFFFD') >= 0 && !"UTF-8".equals(charset)) {
      throw wrongUse(
          "%s '%s' has characters that the charset %s has not; set LC_ALL=C.UTF-8"
              .formatted(option, text, charset));
    }
    return text;
  }

  String required(String option) throws CommandException {
    String text = text(option);
    if (text == null) {
      throw wrongUse(option + " is missing");
    }
    return text;
  }

  Long number(String option, long min, long max) throws CommandException {
    String text = text(option);
    if (text == null) {
      return null;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // As below.
    }
    String allowed = max == Long.MAX_VALUE ? "from %d on".formatted(min) : min + " to " + max;
    throw notAllowed(option, text, "whole numbers " + allowed);
  }

  /** Seconds of a time like {@code 7d}. */
  Long seconds(String option) throws CommandException {
    String text = text(option);
    return text == null ? null : seconds(option, text, text);
  }

  /** Seconds of a part of what an option says. */
  static long seconds(String option, String text, String part) throws CommandException {
    try {
      long seconds = RelativeTimeUtil.parseRelativeTimeInSeconds(part);
      if (seconds >= 0 && seconds <= Duration.ofDays(365_000).toSeconds()) {
        return seconds;
      }
    } catch (IllegalArgumentException e) {
      // As below.
    }
    throw notAllowed(option, text, "numbers with s, m, h, d, w or y, as in 90m and 7d");
  }

  String oneOf(String option, List<String> allowed, String otherwise) throws CommandException {
    String text = text(option);
    if (text != null && !allowed.contains(text)) {
      throw notAllowed(option, text, String.join(" and ", allowed));
    }
    return text == null ? otherwise : text;
  }

  TopicName topic() throws CommandException {
    String text = required(Parameters.TOPIC);
    TopicName topic;
    try {
      topic = TopicName.get(text);
    } catch (IllegalArgumentException e) {
      throw wrongUse("Topic '" + text + "' is not allowed: " + e.getMessage());
    }
    if (topic.getDomain() != TopicDomain.persistent || !hasTwoParts(topic.getNamespace())) {
      throw wrongUse(
          "Topic '%s' is not allowed; allowed are persistent://tenant/namespace/topic and topic"
              .formatted(text));
    }
    return topic;
  }

  NamespaceName namespace() throws CommandException {
    String text = required(Parameters.NAMESPACE);
    try {
      NamespaceName namespace = NamespaceName.get(text);
      if (hasTwoParts(namespace.toString())) {
        return namespace;
      }
    } catch (IllegalArgumentException e) {
      // As below.
    }
    throw notAllowed(Parameters.NAMESPACE, text, "names like tenant/namespace");
  }

  /** Not of Pulsar 1, with a cluster. Pulsar 4.2 has no method isV2. */
  private static boolean hasTwoParts(String namespace) {
    return namespace.chars().filter(c -> c == '/').count() == 1;
  }

  static CommandException notAllowed(String option, String value, String allowed) {
    return wrongUse("%s '%s' is not allowed; allowed are %s".formatted(option, value, allowed));
  }
}
