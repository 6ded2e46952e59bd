/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What is counted and timed, as Micrometer meters, and their text for the broker's {@code
 * /metrics}.
 *
 * <p>Called by all packages that have something to count, from any thread; the text is asked for by
 * a thread of the broker's web server.
 */
package io.pulsarbroadcast.broker.metrics;
