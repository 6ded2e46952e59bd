/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** What command lines have in common: ranges of options, and progress on the terminal. */
package io.pulsarbroadcast.benchmark.cli;
