/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** Runs workload files of OpenMessaging Benchmark with this project's own load generator. */
package io.pulsarbroadcast.benchmark.workload;
