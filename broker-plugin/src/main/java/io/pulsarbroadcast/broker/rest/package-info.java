/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Positions and settings over REST, on the broker's own admin port (docs/openapi.yaml,
 * docs/decisions/0012).
 *
 * <p>Called by the broker's web service, on its threads; by the plugin only {@link
 * io.pulsarbroadcast.broker.BroadcastPlugin}, for {@link
 * io.pulsarbroadcast.broker.rest.AdminEndpoint}.
 */
package io.pulsarbroadcast.broker.rest;
