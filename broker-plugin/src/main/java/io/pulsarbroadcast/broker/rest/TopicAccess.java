/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.rest;

import io.pulsarbroadcast.broker.topic.PositionsAdmin;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import javax.servlet.ServletContext;
import javax.servlet.http.HttpServletRequest;
import javax.ws.rs.container.AsyncResponse;
import javax.ws.rs.core.Response.Status;
import javax.ws.rs.core.UriInfo;
import org.apache.pulsar.broker.admin.AdminResource;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionBusyException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.Topic;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.broker.web.RestException;
import org.apache.pulsar.common.policies.data.TopicOperation;
import org.apache.pulsar.common.util.Codec;
import org.apache.pulsar.common.util.FutureUtil;

/**
 * The way of one request to a subscription's positions, as the broker's own admin calls go it: may
 * the caller do it, is the topic this broker's (else a redirect to its owner), is it there (it is
 * loaded if not). On a thread of the web service.
 */
final class TopicAccess extends AdminResource {

  private final String subscription;
  private final boolean authoritative;

  /**
   * @param encodedTopic URL-encoded, as is {@code encodedSubscription}
   * @param authoritative whether another broker says that the topic is this one's
   */
  TopicAccess(
      ServletContext context,
      HttpServletRequest request,
      UriInfo uri,
      String tenant,
      String namespace,
      String encodedTopic,
      String encodedSubscription,
      boolean authoritative) {
    this.servletContext = context;
    this.httpRequest = request;
    this.uri = uri;
    this.subscription = Codec.decode(encodedSubscription);
    this.authoritative = authoritative;
    validateTopicName(tenant, namespace, encodedTopic);
  }

  /**
   * The role that asks, and the one whose request it says it passes on; null: nobody is
   * authenticated, whatever the request says.
   */
  String operator() {
    String caller = clientAppId();
    return caller == null || originalPrincipal() == null
        ? caller
        : caller + " for " + originalPrincipal();
  }

  /**
   * Answers with what an action on the positions comes to.
   *
   * @param operation what the caller needs permission for
   */
  <T> void answer(
      AsyncResponse response,
      TopicOperation operation,
      Function<PositionsAdmin, CompletableFuture<T>> action) {
    validateTopicOperationAsync(topicName, operation, subscription)
        .thenCompose(allowed -> notPartitioned())
        .thenCompose(checked -> validateGlobalNamespaceOwnershipAsync(namespaceName))
        .thenCompose(checked -> validateTopicOwnershipAsync(topicName, authoritative))
        .thenCompose(owned -> pulsar().getBrokerService().getTopicIfExists(topicName.toString()))
        .thenApply(found -> positions(found.orElse(null)))
        .thenCompose(action)
        .whenComplete(
            (result, e) -> {
              if (e == null) {
                response.resume(result);
              } else {
                resumeAsyncResponseExceptionally(response, failure(e));
              }
            });
  }

  private CompletableFuture<Void> notPartitioned() {
    if (topicName.isPartitioned()) {
      return CompletableFuture.completedFuture(null);
    }
    return getPartitionedTopicMetadataAsync(topicName, authoritative, false)
        .thenAccept(
            metadata -> {
              if (metadata.partitions > 0) {
                throw new RestException(
                    Status.METHOD_NOT_ALLOWED,
                    "Topic %s is partitioned; positions are those of one partition, %s to %s"
                        .formatted(
                            topicName,
                            topicName.getPartition(0),
                            topicName.getPartition(metadata.partitions - 1)));
              }
            });
  }

  private PositionsAdmin positions(Topic found) {
    if (!(found instanceof PersistentTopic topic)) {
      throw new RestException(Status.NOT_FOUND, "Topic %s not found".formatted(topicName));
    }
    PersistentSubscription there = topic.getSubscription(subscription);
    if (there == null) {
      throw new RestException(
          Status.NOT_FOUND,
          "Subscription %s not found for topic %s".formatted(subscription, topicName));
    }
    return PositionsAdmin.of(there)
        .orElseThrow(
            () ->
                new RestException(
                    Status.METHOD_NOT_ALLOWED,
                    "Subscription %s of topic %s is not a Broadcast subscription, or has positions in a format that this plugin does not know"
                        .formatted(subscription, topicName)));
  }

  private static Throwable failure(Throwable failure) {
    Throwable cause = FutureUtil.unwrapCompletionException(failure);
    if (cause instanceof NoSuchElementException) {
      return new RestException(Status.NOT_FOUND, cause.getMessage());
    }
    return cause instanceof SubscriptionBusyException
            || cause instanceof SubscriptionFencedException
        ? new RestException(Status.PRECONDITION_FAILED, cause.getMessage())
        : cause;
  }
}
