/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** The driver through which OpenMessaging Benchmark uses Broadcast and Pulsar's own types. */
package io.pulsarbroadcast.omb;
