/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * The load: a fleet of consumers that speak Pulsar's binary protocol, a publisher, and a run of
 * both.
 *
 * <p>Consumers are rows of arrays, not objects: 100,000 of them have to run beside a broker on two
 * cores. A row is only ever touched by the event loop of its connection, so nothing is locked.
 */
package io.pulsarbroadcast.benchmark.load;
