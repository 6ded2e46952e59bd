/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** What a broker says of itself on its Prometheus page. */
package io.pulsarbroadcast.benchmark.broker;
