/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.security.SecureRandom;
import java.util.HexFormat;

/** What a Broadcast subscribe carries on the wire, which programs outside this project rely on. */
final class Wire {
  static final String TYPE_PROPERTY = "pulsar.subscription.type";
  static final String BROADCAST = "Broadcast";
  static final String CURSOR_TTL_SECONDS_PROPERTY = "pulsar.broadcast.cursor.ttl.seconds";

  private static final SecureRandom RANDOM = new SecureRandom();

  private Wire() {}

  /** 128 random bits as 32 hexadecimal digits, from any thread. */
  static String randomId() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
