/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Long runs on an unmodified Pulsar with the plugin, each of which checks what a Broadcast
 * subscription promises: bad consumers, catching up, crashes, unloads, stored positions.
 */
package io.pulsarbroadcast.benchmark.scenario;
