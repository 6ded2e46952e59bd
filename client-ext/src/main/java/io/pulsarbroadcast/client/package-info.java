/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The Broadcast subscription type for the stock Pulsar Java client: {@link
 * io.pulsarbroadcast.client.BroadcastClient} is where to start.
 */
package io.pulsarbroadcast.client;
