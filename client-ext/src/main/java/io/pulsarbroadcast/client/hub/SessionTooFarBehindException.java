/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import java.io.Serial;

/** Ends a session that had not acknowledged the oldest message when a hub held too many. */
public final class SessionTooFarBehindException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  SessionTooFarBehindException(String session, int maxMessages) {
    super(
        "Session %s is more than maxMessages=%d messages of its hub behind, and has lost its position; open it again, acknowledge sooner, or raise BroadcastHubBuilder.maxMessages"
            .formatted(session, maxMessages));
  }
}
