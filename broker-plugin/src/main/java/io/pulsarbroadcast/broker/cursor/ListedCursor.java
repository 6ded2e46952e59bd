/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

/**
 * A position as an operator sees it. Immutable but for the cursor itself.
 *
 * @param cursor where it is
 * @param consumers how many consumers it stands for: one when it is connected; absent namesakes
 *     share theirs, and 0 return to it unless others stay away
 * @param connected whether its consumer is connected
 * @param leftMillis when the last of its consumers left, by the wall clock; 0 while connected
 * @param ttlSeconds how long it waits for an absent consumer; {@link CursorRegistry#EPHEMERAL}: not
 *     at all
 */
public record ListedCursor(
    VirtualCursor cursor, int consumers, boolean connected, long leftMillis, long ttlSeconds) {}
