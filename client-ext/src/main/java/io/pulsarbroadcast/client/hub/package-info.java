/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Many sessions of one process on one Broadcast consumer: {@link
 * io.pulsarbroadcast.client.hub.BroadcastHub} is where to start. Needs only Pulsar's client API.
 */
package io.pulsarbroadcast.client.hub;
