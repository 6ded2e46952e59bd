/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

/** What a local run of a driver file starts; elsewhere it says nothing. */
public enum LocalServer {
  /** An unmodified broker with the plugin. */
  plugin,
  /** An unmodified broker without it. */
  plain,
  /** The bare server that stores nothing and only writes. */
  floor
}
