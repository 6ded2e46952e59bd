/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

/** The owner of a consumer that wants everything at once. Stateless. */
class TestOwner implements ConsumerOwner {

  @Override
  public Verdict filter(BroadcastEntry entry) {
    return Verdict.ACCEPT;
  }

  @Override
  public void filtered(BroadcastEntry entry, Verdict verdict) {
    // Nothing is filtered.
  }

  @Override
  public long deliverAtMillis(BroadcastEntry entry) {
    return 0;
  }

  @Override
  public int maxUnacknowledgedEntries() {
    return 0;
  }

  @Override
  public void close() {
    // There is nobody to tell.
  }
}
