/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** The benchmark commands: what {@code ./bench} runs, one class per command. */
package io.pulsarbroadcast.benchmark.bench;
