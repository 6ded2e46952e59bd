/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** What a run measured, as plain values. */
package io.pulsarbroadcast.benchmark.metrics;
