/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.pulsar.broker.service;

/** Compile-only: which statistics are asked for, from 3.1 on. See LineNeutralSubscription. */
public class GetStatsOptions {}
