/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

/**
 * Which positions an operator asks for. Immutable.
 *
 * @param connected only those of connected, or of absent, consumers; null: both
 * @param name only those of this name; null: of all
 * @param namePrefix only those of names that begin so; null: of all
 * @param byAge the longest absent first, then the connected ones; else those furthest behind first
 * @param offset how many are left out
 * @param limit how many are listed
 */
public record PositionsQuery(
    Boolean connected, String name, String namePrefix, boolean byAge, int offset, int limit) {}
