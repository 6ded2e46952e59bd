/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import java.io.IOException;
import java.nio.file.Path;

/**
 * An entry filter as a user packages one, made for a test: compiled against the jars of the
 * distribution that runs it. It gives a consumer with the property {@code wants} the messages whose
 * property {@code kind} is that; puts a message with the property {@code once} off when it sees it
 * for the first time for a consumer; and accepts the rest. For a message with the property {@code
 * trace} it writes a line to the broker's log, {@value #ASKED} the consumer, and by which thread.
 */
final class EntryFilterNar {

  static final String NAME = "wants";

  /** Begins a line of the log, before {@code <consumer> by <thread>}. */
  static final String ASKED = "Entry filter asked for ";

  private static final String SOURCE =
      """
      import java.util.Set;
      import java.util.concurrent.ConcurrentHashMap;
      import org.apache.bookkeeper.mledger.Entry;
      import org.apache.pulsar.broker.service.plugin.EntryFilter;
      import org.apache.pulsar.broker.service.plugin.FilterContext;
      import org.apache.pulsar.common.api.proto.KeyValue;

      public class WantsFilter implements EntryFilter {
        private final Set<String> seen = ConcurrentHashMap.newKeySet();

        @Override
        public FilterResult filterEntry(Entry entry, FilterContext context) {
          if (context.getConsumer() == null) {
            return FilterResult.ACCEPT;
          }
          if (property(context, "trace") != null) {
            System.out.println(
                "Entry filter asked for "
                    + context.getConsumer().consumerName()
                    + " by "
                    + Thread.currentThread().getName());
          }
          String wants = context.getConsumer().getMetadata().get("wants");
          String kind = property(context, "kind");
          if (wants != null && kind != null && !wants.equals(kind)) {
            return FilterResult.REJECT;
          }
          String place = context.getConsumer().consumerName() + entry.getPosition();
          if (property(context, "once") != null && seen.add(place)) {
            return FilterResult.RESCHEDULE;
          }
          return FilterResult.ACCEPT;
        }

        private static String property(FilterContext context, String key) {
          for (KeyValue property : context.getMsgMetadata().getPropertiesList()) {
            if (property.getKey().equals(key)) {
              return property.getValue();
            }
          }
          return null;
        }

        @Override
        public void close() {}
      }
      """;

  private EntryFilterNar() {}

  /** Writes the NAR into a folder. */
  static void write(Path folder, Path pulsarHome) throws IOException {
    TestNar.write(
        folder.resolve("wants-filter.nar"),
        pulsarHome,
        "WantsFilter",
        SOURCE,
        "entry_filter.yml",
        "name: " + NAME + "\ndescription: for a test\nentryFilterClass: WantsFilter\n");
  }
}
