/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.Message;

/** Keeps what it hears, and fails a test of which it hears two things at a time. */
class RecordingSubscriber implements Flow.Subscriber<Message<String>> {
  final List<String> values = new CopyOnWriteArrayList<>();
  final List<Message<String>> messages = new CopyOnWriteArrayList<>();
  final List<String> ends = new CopyOnWriteArrayList<>();
  final AtomicInteger overlaps = new AtomicInteger();
  volatile HubSession session;
  volatile Throwable error;
  private final AtomicInteger calls = new AtomicInteger();
  private final long requests;

  /** {@code requests}: at once; 0: none. */
  RecordingSubscriber(long requests) {
    this.requests = requests;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    session = (HubSession) subscription;
    if (requests > 0) {
      session.request(requests);
    }
  }

  @Override
  public void onNext(Message<String> message) {
    if (calls.incrementAndGet() > 1 || !ends.isEmpty()) {
      overlaps.incrementAndGet();
    }
    values.add(message.getValue());
    messages.add(message);
    received(message);
    calls.decrementAndGet();
  }

  void received(Message<String> message) {}

  @Override
  public void onError(Throwable throwable) {
    error = throwable;
    ends.add("error");
  }

  @Override
  public void onComplete() {
    ends.add("complete");
  }
}
