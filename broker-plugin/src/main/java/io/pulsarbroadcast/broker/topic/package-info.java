/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What the broker calls: the topic, the subscription, the consumer and the connection in place of
 * its own, and how they admit consumers, take acknowledgements and change a subscription's type.
 *
 * <p>Called by the broker; by the plugin only {@link io.pulsarbroadcast.broker.BrokerHooks}, for
 * the two factories, and {@link io.pulsarbroadcast.broker.rest}, for {@link
 * io.pulsarbroadcast.broker.topic.PositionsAdmin}, which are all that is public. A connection's
 * commands arrive on its event loop. Everything else, closing and statistics among it, may come
 * from any thread.
 *
 * <p>In a class that extends one of the broker's, public and protected methods override: the
 * broker's start checks it. What other packages need of such a class they ask of an interface.
 */
package io.pulsarbroadcast.broker.topic;
