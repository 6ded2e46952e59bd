/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.pulsarbroadcast.broker.dispatch.BroadcastEntry;
import io.pulsarbroadcast.broker.dispatch.ConsumerOwner.Verdict;
import java.lang.reflect.Proxy;
import java.util.List;
import org.apache.bookkeeper.mledger.Entry;
import org.apache.pulsar.broker.service.Subscription;
import org.apache.pulsar.broker.service.plugin.EntryFilter;
import org.apache.pulsar.broker.service.plugin.FilterContext;
import org.junit.jupiter.api.Test;

class EntryFiltersTest {

  private final ByteBuf data = Unpooled.wrappedBuffer(new byte[10]);
  private final BroadcastEntry entry = new BroadcastEntry(0, 0, 1, 0, 1, null, data);

  /** I7: dispatch to everybody on a connection goes on when a filter of the operator's fails. */
  @Test
  void shouldPutOffAnEntryOnWhichAFilterFails() {
    EntryFilters filters = new EntryFilters(subscription(), List.of(new Failing()));

    assertThat(filters.test(null, entry)).isEqualTo(Verdict.RESCHEDULE);
    assertThat(filters.test(null, entry)).isEqualTo(Verdict.RESCHEDULE);
    assertThat(filters.rescheduled()).isEqualTo(2);
    assertThat(data.refCnt()).as("I8: nothing stays retained").isEqualTo(1);
  }

  @Test
  void shouldAcceptWhatNoFilterObjectsTo() {
    EntryFilters filters = new EntryFilters(subscription(), List.of());

    assertThat(filters.test(null, entry)).isEqualTo(Verdict.ACCEPT);
  }

  private static Subscription subscription() {
    return (Subscription)
        Proxy.newProxyInstance(
            Subscription.class.getClassLoader(),
            new Class<?>[] {Subscription.class},
            (self, method, args) -> "the " + method.getName());
  }

  private static final class Failing implements EntryFilter {
    @Override
    public FilterResult filterEntry(Entry entry, FilterContext context) {
      throw new IllegalStateException("broken filter");
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
