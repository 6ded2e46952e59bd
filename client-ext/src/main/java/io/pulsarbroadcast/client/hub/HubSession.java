/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import java.util.concurrent.Flow;
import org.apache.pulsar.client.api.MessageId;

/**
 * A logical consumer of a {@link BroadcastHub}, with a position under its own name. Any thread may
 * call it; nothing here blocks.
 *
 * <p>It is the {@link Flow.Subscription} that its subscriber gets, so a subscriber may cast that to
 * a {@code HubSession}. Once it has ended, in whatever way, its methods do nothing, except {@link
 * #unsubscribe}.
 */
public interface HubSession extends Flow.Subscription, AutoCloseable {
  /** The name it was opened with. */
  String name();

  /**
   * Acknowledges a message and all that this session received before it, of whatever topic or
   * partition. As by a broker, an id that this session has not received, or has acknowledged
   * already, is ignored.
   *
   * @param id also of a message id that was serialised and parsed again
   */
  void acknowledge(MessageId id);

  /**
   * Ends it, and keeps the position: the next session of this name resumes after its last
   * acknowledged message, as long as the hub is open and holds that place. A call of the subscriber
   * that is under way, or about to be made, goes on; no other follows.
   */
  @Override
  void close();

  /** The same as {@link #close}. */
  @Override
  default void cancel() {
    close();
  }

  /**
   * Ends it, and drops the position, so that it holds nothing back. Of a session that has ended,
   * drops the position that is left under its name, if there is no new session of that name.
   */
  void unsubscribe();
}
