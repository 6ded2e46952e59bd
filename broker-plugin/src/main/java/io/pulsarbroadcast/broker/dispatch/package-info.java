/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * One reader of each subscription, and the fan-out of each of its connections. Knows Netty and
 * Pulsar's wire format, but no broker.
 *
 * <p>Made by {@link io.pulsarbroadcast.broker.topic}, fed by {@link
 * io.pulsarbroadcast.broker.ledger}. The reader runs on the subscription's dispatch thread, each
 * fan-out on its connection's event loop, or where broadcastDispatchExecutor puts both.
 */
package io.pulsarbroadcast.broker.dispatch;
