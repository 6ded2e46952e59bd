/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** The demo's command line: options, progress, the broker it starts, and the order of its steps. */
package io.pulsarbroadcast.benchmark.demo;
