/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.pulsar.common.api.proto.BaseCommand;

/** Counts what {@link WireFuzzer}s sent, and what came back. Any thread may call it. */
final class WireTally {
  final LongAdder seeds = new LongAdder();

  /** Written to a socket. */
  final LongAdder frames = new LongAdder();

  /** Of those, the frames that the broker has read without closing the connection. */
  final LongAdder taken = new LongAdder();

  final LongAdder connections = new LongAdder();

  /** From a ping to its answer, behind all that was sent before it. */
  final AtomicLong slowestPingMillis = new AtomicLong();

  private final Map<BaseCommand.Type, LongAdder> answers = new ConcurrentHashMap<>();

  void answered(BaseCommand.Type type) {
    answers.computeIfAbsent(type, t -> new LongAdder()).increment();
  }

  void pinged(long millis) {
    slowestPingMillis.accumulateAndGet(millis, Math::max);
  }

  /** How many commands of each type the broker has sent. */
  Map<BaseCommand.Type, Long> answers() {
    Map<BaseCommand.Type, Long> counts = new TreeMap<>();
    answers.forEach((type, count) -> counts.put(type, count.sum()));
    return counts;
  }

  void add(WireTally other) {
    seeds.add(other.seeds.sum());
    frames.add(other.frames.sum());
    taken.add(other.taken.sum());
    connections.add(other.connections.sum());
    pinged(other.slowestPingMillis.get());
    other.answers.forEach(
        (type, count) -> answers.computeIfAbsent(type, t -> new LongAdder()).add(count.sum()));
  }
}
