/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.pulsarbroadcast.broker.BroadcastContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetadataNotFoundException;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.Codec;
import org.apache.pulsar.common.util.FutureUtil;
import org.apache.pulsar.metadata.api.MetadataStore;

/**
 * A topic among the source and the shadow topics (PIP-180) that have its ledgers and ids. May be
 * called from any thread.
 */
final class ShadowGroup {

  private final PersistentTopic topic;
  private final TopicName self;
  private final TopicName source;

  ShadowGroup(PersistentTopic topic) {
    this.topic = topic;
    this.self = TopicName.get(topic.getName());
    this.source = topic.getShadowSourceTopic().orElse(self);
  }

  /**
   * Whether it is clear, without a question, that a name stands for another position in each; so of
   * a partition, to which Pulsar does not replicate.
   */
  boolean isEachForItself() {
    return self.isPartitioned()
        || self.equals(source)
            && !topic
                .getManagedLedger()
                .getProperties()
                .containsKey(BroadcastContract.SCOPE_PROPERTY);
  }

  /**
   * Whether a name stands for one position in all of them.
   *
   * @return fails with an IllegalArgumentException when the source's property is not understood
   */
  CompletableFuture<Boolean> isOne() {
    return isEachForItself()
        ? CompletableFuture.completedFuture(false)
        : (self.equals(source)
                ? CompletableFuture.completedFuture(topic.getManagedLedger().getProperties())
                : propertiesOf(source))
            .thenApply(properties -> BroadcastContract.spansShadows(source.toString(), properties));
  }

  private CompletableFuture<Map<String, String>> propertiesOf(TopicName other) {
    return BROKER
        .managedLedgerFactory(topic.getBrokerService())
        .getManagedLedgerPropertiesAsync(other.getPersistenceNamingEncoding())
        .exceptionallyCompose(
            e ->
                FutureUtil.unwrapCompletionException(e) instanceof MetadataNotFoundException
                    ? CompletableFuture.completedFuture(Map.of())
                    : CompletableFuture.failedFuture(e));
  }

  /** The others of them that have Broadcast subscriptions, or may have. */
  CompletableFuture<List<TopicName>> others() {
    MetadataStore store = topic.getBrokerService().getPulsar().getLocalMetadataStore();
    String subscriptions = PositionsLogName.metadataOf(source.toString());
    return store
        .sync(subscriptions)
        .thenCompose(synced -> store.getChildren(subscriptions))
        .thenCompose(
            cursors ->
                shadowsAmong(
                    cursors.stream()
                        .map(Codec::decode)
                        .map(SourceSubscription::shadowOf)
                        .flatMap(Optional::stream)
                        .filter(shadow -> !shadow.equals(self))
                        .toList()))
        .thenApply(
            shadows ->
                Stream.concat(shadows.stream(), Stream.of(source))
                    .filter(other -> !other.equals(self))
                    .toList());
  }

  /** Those that are shadow topics of the source still: they may have been made again. */
  private CompletableFuture<List<TopicName>> shadowsAmong(List<TopicName> held) {
    List<TopicName> shadows = new ArrayList<>();
    List<CompletableFuture<Optional<TopicName>>> sources =
        held.stream().map(this::sourceOf).toList();
    return FutureUtil.waitForAll(sources)
        .thenApply(
            read -> {
              for (int i = 0; i < held.size(); i++) {
                if (sources.get(i).join().filter(source::equals).isPresent()) {
                  shadows.add(held.get(i));
                }
              }
              return shadows;
            });
  }

  private CompletableFuture<Optional<TopicName>> sourceOf(TopicName shadow) {
    return propertiesOf(shadow)
        .thenApply(
            properties ->
                Optional.ofNullable(properties.get(ManagedLedgerConfig.PROPERTY_SOURCE_TOPIC_KEY))
                    .map(TopicName::get));
  }
}
