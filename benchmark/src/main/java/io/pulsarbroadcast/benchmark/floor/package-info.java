/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * The floor: a server that does nothing but write. It speaks just enough of Pulsar's protocol that
 * the same fleet and the same publisher can be pointed at it, stores nothing, keeps no positions,
 * and writes every message it is sent as the same frames down the same connections. What it needs
 * is what this machine's kernel and Netty need.
 */
package io.pulsarbroadcast.benchmark.floor;
