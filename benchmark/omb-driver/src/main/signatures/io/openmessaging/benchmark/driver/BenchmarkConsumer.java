/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.openmessaging.benchmark.driver;

/** Signatures only. */
public interface BenchmarkConsumer extends AutoCloseable {}
