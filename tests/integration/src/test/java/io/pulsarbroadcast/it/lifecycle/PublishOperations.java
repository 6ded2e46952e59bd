/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.List;
import java.util.stream.IntStream;

/** Publishes in each of the ways there are. For one thread. */
final class PublishOperations {

  private final TestBed bed;

  PublishOperations(TestBed bed) {
    this.bed = bed;
  }

  void apply(Operation.OfPublisher operation) throws Exception {
    if (operation instanceof Operation.EndTransaction end) {
      endTransaction(end.topic(), end.commit());
      return;
    }
    TopicModel topic = bed.model(operation.topic());
    if (topic.terminated) {
      return;
    }
    Publisher publisher = bed.publisher(operation.topic());
    topic.beginPublish();
    if (operation instanceof Operation.Publish publish) {
      publish(publish.topic(), publish.count());
    } else if (operation instanceof Operation.PublishBatch publish) {
      topic.publish(publisher.publishBatch(values(publish.topic(), publish.count())), true, false);
    } else if (operation instanceof Operation.PublishDelayed publish) {
      topic.publish(
          publisher.publishDelayed(values(publish.topic(), publish.count())), false, true);
    } else if (operation instanceof Operation.PublishInTransaction publish) {
      topic.publishInTransaction(
          publisher.publishInTransaction(values(publish.topic(), publish.count())));
    } else {
      throw new IllegalArgumentException(operation.toString());
    }
  }

  /** Publishes messages, each an entry of its own. */
  void publish(int topic, int count) throws Exception {
    bed.model(topic).beginPublish();
    bed.model(topic).publish(bed.publisher(topic).publish(values(topic, count)), false, false);
  }

  private List<String> values(int topic, int count) {
    int end = bed.model(topic).end();
    return IntStream.range(end, end + count)
        .mapToObj(message -> bed.oracle.value(topic, message))
        .toList();
  }

  /** Ends the open transaction of a topic, if there is one. */
  void endTransaction(int topic, boolean commit) throws Exception {
    if (!bed.model(topic).open.isEmpty()) {
      bed.publisher(topic).endTransaction(commit);
      bed.model(topic).endTransaction(commit);
    }
  }
}
