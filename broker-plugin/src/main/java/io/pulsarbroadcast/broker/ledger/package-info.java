/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What is read from managed ledgers, and stored in them: a topic's entries, a subscription's
 * positions log and what its cursor says of that, the subscription's own position, and where
 * consumers start.
 *
 * <p>Called by {@link io.pulsarbroadcast.broker.topic} and {@link io.pulsarbroadcast.broker.stats}.
 * Entries are read on the subscription's dispatch thread. Everything else may be called from any
 * thread, does not block, and goes on where storage answers.
 */
package io.pulsarbroadcast.broker.ledger;
