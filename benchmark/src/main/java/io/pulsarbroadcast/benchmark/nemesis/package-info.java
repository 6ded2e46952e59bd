/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Faults of a real cluster under load: {@link io.pulsarbroadcast.benchmark.nemesis.NemesisCommand}
 * draws one after the other, sees that each has happened, and has the histories of all topics
 * checked.
 */
package io.pulsarbroadcast.benchmark.nemesis;
