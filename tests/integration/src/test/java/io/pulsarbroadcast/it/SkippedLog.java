/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the broker logs when consumers miss entries (I6). */
final class SkippedLog {

  private static final Pattern LINE =
      Pattern.compile("(\\d+) consumers miss (\\d+) entries .* because (.*);");

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private SkippedLog() {}

  /** One event. */
  record Event(int consumers, long entries, String cause) {}

  /** The events on a topic so far. */
  static List<Event> of(Broker broker, String topic) {
    List<Event> events = new ArrayList<>();
    try {
      for (String line : broker.logLines(topic)) {
        Matcher event = LINE.matcher(line);
        if (event.find()) {
          events.add(
              new Event(
                  Integer.parseInt(event.group(1)),
                  Long.parseLong(event.group(2)),
                  event.group(3)));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return events;
  }

  /** Waits until so many entries in all were missed, for one cause. */
  static void awaitEntries(Broker broker, String topic, long entries, String cause) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              List<Event> events = of(broker, topic);
              assertThat(events.stream().mapToLong(Event::entries).sum())
                  .as("entries missed: %s", events)
                  .isEqualTo(entries);
              assertThat(events).allMatch(event -> event.cause().contains(cause));
            });
  }
}
