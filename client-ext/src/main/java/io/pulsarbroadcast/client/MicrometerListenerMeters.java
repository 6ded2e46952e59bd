/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The meters of {@link ListenerExecutors.Builder#meterRegistry}, named as Micrometer's own. */
final class MicrometerListenerMeters implements ListenerMeters {
  private static final String TAG = "name";

  private final MeterRegistry registry;
  private final String name;
  private final Timer calls;
  private final Timer waits;
  private final Timer endToEnd;
  private final Counter rejected;

  private List<Gauge> gauges = List.of();

  MicrometerListenerMeters(MeterRegistry registry, String name) {
    this.registry = registry;
    this.name = name;
    if (registry.find("executor.queued").tag(TAG, name).meter() != null) {
      throw new IllegalArgumentException(
          "The registry has meters of an executor named " + name + "; allowed: another name");
    }
    calls =
        Timer.builder("executor").description("Listener calls").tag(TAG, name).register(registry);
    waits =
        Timer.builder("executor.idle")
            .description("Messages waiting for their listener call")
            .tag(TAG, name)
            .register(registry);
    endToEnd =
        Timer.builder("pulsar.listener.end.to.end")
            .description("From publishing to the end of the listener call")
            .tag(TAG, name)
            .register(registry);
    rejected =
        Counter.builder("executor.rejected")
            .description("Messages without a listener call, because the executor was closed")
            .baseUnit("messages")
            .tag(TAG, name)
            .register(registry);
  }

  @Override
  public synchronized void register(OrderedListenerExecutor executor) {
    gauges =
        List.of(
            Gauge.builder("executor.queued", executor, OrderedListenerExecutor::queued)
                .description("Messages that wait for their listener call")
                .baseUnit("messages")
                .tag(TAG, name)
                .register(registry),
            Gauge.builder("executor.active", executor, OrderedListenerExecutor::active)
                .description("Listener calls at this moment")
                .baseUnit("threads")
                .tag(TAG, name)
                .register(registry));
  }

  @Override
  public void called(long waitedNanos, long calledNanos, long publishMillis) {
    waits.record(waitedNanos, TimeUnit.NANOSECONDS);
    calls.record(calledNanos, TimeUnit.NANOSECONDS);
    // Of clocks of two machines, and so perhaps negative; Micrometer leaves that out.
    endToEnd.record(System.currentTimeMillis() - publishMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void rejected() {
    rejected.increment();
  }

  @Override
  public synchronized void remove() {
    gauges.forEach(registry::remove);
    // Those of a successor have the same names.
    gauges = List.of();
  }
}
