/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.dispatch.BroadcastEntry;
import io.pulsarbroadcast.broker.dispatch.ConsumerOwner;
import io.pulsarbroadcast.broker.dispatch.ConsumerOwner.Verdict;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.bookkeeper.mledger.Entry;
import org.apache.bookkeeper.mledger.impl.EntryImpl;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.Subscription;
import org.apache.pulsar.broker.service.plugin.EntryFilter;
import org.apache.pulsar.broker.service.plugin.EntryFilter.FilterResult;
import org.apache.pulsar.broker.service.plugin.FilterContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker's entry filters (PIP-105), asked for each consumer and entry. Filters are the broker's
 * and shared by all its subscriptions, so they take calls from any thread; so does this.
 */
final class EntryFilters implements ConsumerOwner.Filters {

  private static final Logger log = LoggerFactory.getLogger(EntryFilters.class);

  private final Subscription subscription;
  private final List<EntryFilter> filters;
  private volatile boolean failureLogged;
  private final LongAdder processed = new LongAdder();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder rescheduled = new LongAdder();

  EntryFilters(Subscription subscription, List<EntryFilter> filters) {
    this.subscription = subscription;
    this.filters = filters;
  }

  @Override
  public Verdict test(ConsumerOwner consumer, BroadcastEntry entry) {
    if (filters.isEmpty()) {
      return Verdict.ACCEPT;
    }
    processed.add(entry.messages());
    Verdict verdict = ask((Consumer) consumer, entry);
    switch (verdict) {
      case ACCEPT -> accepted.add(entry.messages());
      case REJECT -> rejected.add(entry.messages());
      case RESCHEDULE -> rescheduled.add(entry.messages());
    }
    return verdict;
  }

  private Verdict ask(Consumer consumer, BroadcastEntry entry) {
    FilterContext context = new FilterContext();
    context.setSubscription(subscription);
    context.setMsgMetadata(entry.metadata());
    context.setConsumer(consumer);
    Entry view = EntryImpl.create(entry.ledgerId(), entry.entryId(), entry.data().duplicate());
    try {
      for (EntryFilter filter : filters) {
        FilterResult result = filtered(filter, view, context);
        if (result == FilterResult.REJECT) {
          return Verdict.REJECT;
        }
        if (result == FilterResult.RESCHEDULE) {
          return Verdict.RESCHEDULE;
        }
      }
      return Verdict.ACCEPT;
    } finally {
      view.release();
    }
  }

  /** A filter that fails must not end dispatch to everybody: the entry is asked about again. */
  private FilterResult filtered(EntryFilter filter, Entry entry, FilterContext context) {
    try {
      return filter.filterEntry(entry, context);
    } catch (Throwable e) {
      if (!failureLogged) {
        failureLogged = true;
        log.warn(
            "[{}][{}] Entry filter {} failed on {}, which comes again later. Further failures are"
                + " not logged",
            subscription.getTopicName(),
            subscription.getName(),
            filter,
            entry.getPosition(),
            e);
      }
      return FilterResult.RESCHEDULE;
    }
  }

  /** Messages that filters were asked about, over all consumers. */
  long processed() {
    return processed.sum();
  }

  long accepted() {
    return accepted.sum();
  }

  long rejected() {
    return rejected.sum();
  }

  long rescheduled() {
    return rescheduled.sum();
  }
}
