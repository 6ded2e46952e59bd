/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What an operator is shown of Broadcast subscriptions in the broker's statistics and log, however
 * many consumers they have.
 *
 * <p>Called by {@link io.pulsarbroadcast.broker.topic} and, at the broker's start, by {@link
 * io.pulsarbroadcast.broker.BrokerHooks}; from any thread, as the broker asks. Nothing here is
 * called for a message.
 */
package io.pulsarbroadcast.broker.stats;
