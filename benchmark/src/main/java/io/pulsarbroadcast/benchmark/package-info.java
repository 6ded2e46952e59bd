/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * The demo and the benchmarks, and under them a load generator for one topic with very many
 * consumers.
 */
package io.pulsarbroadcast.benchmark;
