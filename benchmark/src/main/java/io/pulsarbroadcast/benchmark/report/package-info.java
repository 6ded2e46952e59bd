/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** What a run measured, as a table, a JSON file and a plot. */
package io.pulsarbroadcast.benchmark.report;
