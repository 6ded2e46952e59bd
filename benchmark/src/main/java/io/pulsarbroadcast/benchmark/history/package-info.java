/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * What happened to one topic and its Broadcast subscription, as a file of events, and whether that
 * is what the subscription promises. Needs neither Pulsar nor the rest of the benchmark: whoever
 * disturbs a cluster writes events with a {@link
 * io.pulsarbroadcast.benchmark.history.HistoryWriter}, and {@link
 * io.pulsarbroadcast.benchmark.history.HistoryChecker} decides.
 */
package io.pulsarbroadcast.benchmark.history;
