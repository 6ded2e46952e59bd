/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.TopicEventsListener;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.Codec;
import org.apache.pulsar.common.util.FutureUtil;
import org.apache.pulsar.metadata.api.MetadataStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the positions logs of topics that are deleted, and of shadow topics the {@link
 * SourceSubscription}: a topic that is not loaded has nobody else to do it. Only what was there
 * before counts, because the topic may be made again at once. Called by the broker that owns the
 * topic, from any thread.
 */
public final class DeletedTopics implements TopicEventsListener {

  private static final Logger log = LoggerFactory.getLogger(DeletedTopics.class);

  private final BrokerService broker;

  /** By topic that is being deleted. */
  private final Map<String, CompletableFuture<Content>> contents = new ConcurrentHashMap<>();

  /** What a topic consists of: its logs, and its cursors; and the source of a shadow topic. */
  private record Content(List<String> files, List<String> cursors, Optional<TopicName> source) {}

  /** For the topics of one broker. */
  public DeletedTopics(BrokerService broker) {
    this.broker = broker;
  }

  @Override
  public void handleEvent(String topic, TopicEvent event, EventStage stage, Throwable failure) {
    if (event != TopicEvent.DELETE || !TopicName.get(topic).isPersistent()) {
      return;
    }
    switch (stage) {
      case BEFORE -> contents.put(topic, contentOf(topic));
      case SUCCESS -> delete(topic, contents.remove(topic));
      case FAILURE -> contents.remove(topic);
    }
  }

  private CompletableFuture<Content> contentOf(String topic) {
    CompletableFuture<List<String>> files =
        store().getChildren(PositionsLogName.metadataFolder(topic));
    CompletableFuture<List<String>> cursors =
        store().getChildren(PositionsLogName.metadataOf(topic));
    CompletableFuture<Optional<TopicName>> source = sourceOf(topic);
    return CompletableFuture.allOf(files, cursors, source)
        .thenApply(read -> new Content(files.join(), cursors.join(), source.join()));
  }

  private CompletableFuture<Optional<TopicName>> sourceOf(String topic) {
    TopicName name = TopicName.get(topic);
    if (name.isPartitioned()) {
      return broker
          .fetchPartitionedTopicMetadataAsync(TopicName.get(name.getPartitionedTopicName()))
          .thenApply(
              all -> sourceOf(all.properties).map(s -> s.getPartition(name.getPartitionIndex())));
    }
    return BROKER
        .managedLedgerFactory(broker)
        .getManagedLedgerPropertiesAsync(name.getPersistenceNamingEncoding())
        .thenApply(DeletedTopics::sourceOf)
        // A topic that was never loaded has none.
        .exceptionally(e -> Optional.empty());
  }

  private static Optional<TopicName> sourceOf(Map<String, String> properties) {
    return Optional.ofNullable(properties)
        .map(known -> known.get(ManagedLedgerConfig.PROPERTY_SOURCE_TOPIC_KEY))
        .map(TopicName::get);
  }

  private void delete(String topic, CompletableFuture<Content> before) {
    if (before != null) {
      before
          .thenCompose(content -> delete(topic, content))
          .exceptionally(
              e -> {
                log.warn("[{}] Could not delete the stored positions", topic, e);
                return null;
              });
    }
  }

  private CompletableFuture<Void> delete(String topic, Content content) {
    List<CompletableFuture<Void>> deleted = new ArrayList<>();
    for (String cursor : content.cursors()) {
      deleted.add(FormerLog.delete(broker, topic, Codec.decode(cursor)));
    }
    for (String file : content.files()) {
      deleted.add(PositionsLedger.delete(broker, PositionsLogName.ofFile(topic, file)));
    }
    content
        .source()
        .ifPresent(
            source ->
                SourceSubscription.delete(broker.getPulsar(), source, topic)
                    .exceptionally(
                        e -> {
                          SourceSubscription.warnNotDeleted(topic, source, e);
                          return null;
                        }));
    return FutureUtil.waitForAll(deleted).thenCompose(all -> deleteFolder(topic));
  }

  private CompletableFuture<Void> deleteFolder(String topic) {
    String folder = PositionsLogName.metadataFolder(topic);
    return store()
        .exists(folder)
        .thenCompose(
            exists ->
                exists
                    ? store().delete(folder, Optional.empty())
                    : CompletableFuture.completedFuture(null))
        // Not every store has folders; and a topic that was made again uses it.
        .exceptionally(e -> null);
  }

  private MetadataStore store() {
    return broker.getPulsar().getLocalMetadataStore();
  }
}
