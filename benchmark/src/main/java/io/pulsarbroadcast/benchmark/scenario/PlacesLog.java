/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet.Place;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Notes where each message is stored, and acknowledges every message or, to make holes, every
 * second one. Called as its superclass is; any thread may ask for a place.
 */
final class PlacesLog extends ConsumerLog {
  private final AtomicReferenceArray<Place> places;
  private final boolean makesHoles;

  PlacesLog(int consumers, int messages, boolean makesHoles) {
    super(consumers, true);
    this.places = new AtomicReferenceArray<>(messages);
    this.makesHoles = makesHoles;
  }

  Place place(int sequence) {
    return places.get(sequence);
  }

  @Override
  public boolean received(
      int consumer, int sequence, boolean first, long latencyNanos, long ledgerId, long entryId) {
    places.set(sequence, new Place(ledgerId, entryId));
    super.received(consumer, sequence, first, latencyNanos, ledgerId, entryId);
    return !makesHoles || (sequence % 2 == 1);
  }
}
