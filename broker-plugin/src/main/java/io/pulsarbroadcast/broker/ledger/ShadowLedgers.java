/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import io.pulsarbroadcast.broker.Throttled;
import io.pulsarbroadcast.broker.compat.ShadowLedger;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetadataNotFoundException;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.FutureUtil;
import org.apache.pulsar.metadata.api.Notification;
import org.apache.pulsar.metadata.api.NotificationType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shadow topics that one broker has loaded. It tells them of new ledgers of their source: of
 * several of one source, Pulsar tells only the one that was loaded last, and the others would
 * stall. And it tells what holds a source for them that a subscription of the source is gone. May
 * be called from any thread.
 */
public final class ShadowLedgers implements Consumer<Notification> {

  /** Changes within this are looked at together, after Pulsar itself has told whom it tells. */
  private static final int LOOK_MILLIS = 500;

  private static final int AGAIN_SECONDS = 5;

  private static final Logger log = LoggerFactory.getLogger(ShadowLedgers.class);

  /** By where the metadata store has their source's ledgers. */
  private final Map<String, Map<PersistentTopic, Shadow>> bySource = new ConcurrentHashMap<>();

  private record Shadow(Throttled look, SourceHold hold) {}

  /** A topic has been loaded; does nothing if it is no shadow topic. */
  public void add(PersistentTopic topic, SourceHold hold) {
    topic.getShadowSourceTopic().ifPresent(source -> add(topic, source, hold));
  }

  private void add(PersistentTopic topic, TopicName source, SourceHold hold) {
    Throttled look =
        new Throttled(
            topic.getBrokerService().getPulsar().getExecutor(),
            LOOK_MILLIS,
            () -> look(topic, source));
    bySource.compute(
        PositionsLogName.metadataOf(source.toString()),
        (path, topics) -> {
          Map<PersistentTopic, Shadow> all = topics == null ? new ConcurrentHashMap<>() : topics;
          all.put(topic, new Shadow(look, hold));
          return all;
        });
    // Something may have changed since its ledgers were read.
    look.request();
  }

  /** A topic is being closed. */
  public void remove(PersistentTopic topic) {
    topic
        .getShadowSourceTopic()
        .ifPresent(
            source ->
                bySource.computeIfPresent(
                    PositionsLogName.metadataOf(source.toString()),
                    (path, topics) -> {
                      topics.remove(topic);
                      return topics.isEmpty() ? null : topics;
                    }));
  }

  /** Something has changed in the metadata store. */
  @Override
  public void accept(Notification changed) {
    String path = changed.getPath();
    of(path).values().forEach(shadow -> shadow.look.request());
    if (changed.getType() == NotificationType.Deleted) {
      String parent = path.substring(0, Math.max(0, path.lastIndexOf('/')));
      of(parent).values().forEach(shadow -> shadow.hold.deleted(path));
    }
  }

  private Map<PersistentTopic, Shadow> of(String source) {
    return bySource.getOrDefault(source, Map.of());
  }

  private void look(PersistentTopic topic, TopicName source) {
    // One that is to delete what nobody needs there would delete it from its source.
    if (lookOf(topic, source) == null || !SourceHold.isRetainedForEver(topic)) {
      return;
    }
    ShadowLedger.follow(topic.getManagedLedger(), source, topic.getBrokerService())
        .exceptionally(
            e -> {
              // Without its source it has nothing to hear of.
              if (!(FutureUtil.unwrapCompletionException(e) instanceof MetadataNotFoundException)) {
                lookAgain(topic, source, e);
              }
              return null;
            });
  }

  private void lookAgain(PersistentTopic topic, TopicName source, Throwable failure) {
    Throttled look = lookOf(topic, source);
    if (look != null) {
      log.warn(
          "[{}] Could not look for new ledgers of the source {}, and tries again: {}",
          topic.getName(),
          source,
          failure.toString());
      topic
          .getBrokerService()
          .getPulsar()
          .getExecutor()
          .schedule(look::request, AGAIN_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Null: the topic is closed. */
  private Throttled lookOf(PersistentTopic topic, TopicName source) {
    Shadow shadow = of(PositionsLogName.metadataOf(source.toString())).get(topic);
    return shadow == null ? null : shadow.look;
  }
}
