/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** The one command that measures, {@code ./bench}; what it can do is in the packages below. */
package io.pulsarbroadcast.benchmark;
