/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** Runs an unmodified Pulsar as an operating system process of its own, for tests and the demo. */
package io.pulsarbroadcast.process;
