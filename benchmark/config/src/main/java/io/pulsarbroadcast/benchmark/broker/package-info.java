/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** A broker over HTTP: the one client, and what its Prometheus page says. */
package io.pulsarbroadcast.benchmark.broker;
