/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** The processes that load is put on, and what is asked of their JVMs: memory and profiles. */
package io.pulsarbroadcast.benchmark.server;
