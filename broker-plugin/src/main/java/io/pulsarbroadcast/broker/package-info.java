/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The way in, and what every other package may use.
 *
 * <p>The broker calls {@link io.pulsarbroadcast.broker.BroadcastPlugin}, once, on the thread that
 * starts it; that one installs {@link io.pulsarbroadcast.broker.BrokerHooks}. Nobody else calls
 * these two. The settings, the wire contract and {@link io.pulsarbroadcast.broker.Throttled} may be
 * used from any package and any thread, and use none.
 */
package io.pulsarbroadcast.broker;
