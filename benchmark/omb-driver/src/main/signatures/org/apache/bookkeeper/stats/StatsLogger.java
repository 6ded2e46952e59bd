/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.bookkeeper.stats;

/** Signatures only: the driver's initialize method has a parameter of this type. */
public interface StatsLogger {}
