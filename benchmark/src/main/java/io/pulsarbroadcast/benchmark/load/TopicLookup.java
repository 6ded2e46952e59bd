/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.List;
import org.apache.pulsar.common.api.proto.CommandLookupTopicResponse;

/**
 * Where a connection's topic is, as far as brokers have said. Only the connection's event loop may
 * call it.
 */
final class TopicLookup {
  private static final long LOOKUP_ID_BASE = 1L << 50;

  /** What an answer leads to. */
  enum Next {
    /** The topic is on the connection's broker. */
    SUBSCRIBE,

    /** The connection's broker has to be asked again. */
    ASK,

    /** Another broker has to be connected to: the new {@link #target()}. */
    MOVE,

    /** There was no answer, and may be later. */
    RETRY
  }

  private final LoadConfig config;
  private final FleetCounters counters;
  private final CommandWriter writer;
  private final List<BrokerAddress> serviceAddresses;
  private int serviceIndex;
  private BrokerAddress target;
  private boolean targetIsOwner;
  private boolean authoritative;
  private long lookups;

  TopicLookup(LoadConfig config, FleetCounters counters, CommandWriter writer) {
    this.config = config;
    this.counters = counters;
    this.writer = writer;
    this.serviceAddresses = BrokerAddress.parseAll(config.serviceUrl);
    this.target = serviceAddress();
  }

  /** Where to connect to. */
  BrokerAddress target() {
    return target;
  }

  /** Whether a broker has said that the topic is there. */
  boolean isTargetOwner() {
    return targetIsOwner;
  }

  private BrokerAddress serviceAddress() {
    return serviceAddresses.get(serviceIndex);
  }

  /** Forgets what brokers have said, and goes on with the next address of the service. */
  void startOver() {
    serviceIndex = (serviceIndex + 1) % serviceAddresses.size();
    target = serviceAddress();
    targetIsOwner = false;
    authoritative = false;
  }

  void ask() {
    writer.lookup(config.topic, LOOKUP_ID_BASE + lookups++, authoritative);
  }

  /** The answer to {@link #ask}. */
  Next answered(CommandLookupTopicResponse response) {
    return switch (response.getResponse()) {
      case Redirect -> goTo(response, false);
      case Connect -> goTo(response, true);
      case Failed -> {
        String error = response.getError() + ": " + response.getMessage();
        counters.note("Lookup of " + config.topic + " failed, " + error);
        yield Next.RETRY;
      }
    };
  }

  private Next goTo(CommandLookupTopicResponse response, boolean isOwner) {
    BrokerAddress next = addressIn(response);
    authoritative = !isOwner && response.isAuthoritative();
    targetIsOwner = isOwner;
    if (!next.equals(target)) {
      target = next;
      return Next.MOVE;
    }
    return isOwner ? Next.SUBSCRIBE : Next.ASK;
  }

  /** Whether a consumer's own lookup says what the connection's said. */
  boolean confirms(CommandLookupTopicResponse response) {
    boolean here =
        response.getResponse() == CommandLookupTopicResponse.LookupType.Connect
            && addressIn(response).equals(target);
    if (!here) {
      counters.note(
          response.hasError()
              ? "Lookup of %s failed, %s: %s"
                  .formatted(config.topic, response.getError(), response.getMessage())
              : "Lookup of %s leads away from %s".formatted(config.topic, target));
    }
    return here;
  }

  private BrokerAddress addressIn(CommandLookupTopicResponse response) {
    String url = response.getBrokerServiceUrl();
    return response.isProxyThroughServiceUrl()
        ? serviceAddress().proxyTo(url)
        : BrokerAddress.parse(url);
  }
}
