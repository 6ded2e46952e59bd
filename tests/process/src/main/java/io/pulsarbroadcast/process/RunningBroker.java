/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

/** Where a broker can be reached. Immutable; any thread may call it. */
public interface RunningBroker {

  /** The binary protocol's URL, for example {@code pulsar://127.0.0.1:12345}. */
  String serviceUrl();

  /** The admin API's URL, for example {@code http://127.0.0.1:12346}. */
  String adminUrl();
}
