/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * The one engine: connects consumers, warms up, publishes at a rate, drains, and counts. Commands
 * and checks make a {@link io.pulsarbroadcast.benchmark.engine.Plan} and have it run.
 */
package io.pulsarbroadcast.benchmark.engine;
