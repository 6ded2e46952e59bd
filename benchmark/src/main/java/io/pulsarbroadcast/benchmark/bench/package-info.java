/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** The commands, their options, and the session in which one runs: servers, results, exit code. */
package io.pulsarbroadcast.benchmark.bench;
