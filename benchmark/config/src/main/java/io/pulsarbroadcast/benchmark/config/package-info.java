/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** The YAML files that say what is measured (workload) and on what (driver). */
package io.pulsarbroadcast.benchmark.config;
