/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.openmessaging.benchmark.driver;

import java.nio.ByteBuffer;

/** Signatures only. */
public interface ConsumerCallback {
  void messageReceived(byte[] payload, long publishTimestamp);

  void messageReceived(ByteBuffer payload, long publishTimestamp);
}
