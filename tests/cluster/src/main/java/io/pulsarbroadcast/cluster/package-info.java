/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** A cluster of an unmodified Pulsar in containers, whose parts can be ended and begun again. */
package io.pulsarbroadcast.cluster;
