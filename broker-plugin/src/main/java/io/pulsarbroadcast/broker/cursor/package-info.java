/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Positions: what each consumer has acknowledged, who is connected and who has left one behind,
 * which ordinal each entry has, and the records in which all that is stored. No networking, no
 * storage of its own.
 *
 * <p>Called by the packages above it, from any thread. A {@code VirtualCursor} moves by
 * compare-and-set or under its own monitor; a {@code CursorRegistry} is guarded by its. The
 * invariants are in docs/contract.md.
 */
package io.pulsarbroadcast.broker.cursor;
