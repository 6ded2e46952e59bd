/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What differs between the broker lines that one binary serves (docs/decisions/0001), and the check
 * that this broker is one of them.
 *
 * <p>Called by every package that knows the broker, from any thread. Stateless, and knows nothing
 * of Broadcast subscriptions. Only {@link io.pulsarbroadcast.broker.compat.LineCalls} is called for
 * messages; {@link io.pulsarbroadcast.broker.compat.BrokerLine} goes by reflection.
 */
package io.pulsarbroadcast.broker.compat;
