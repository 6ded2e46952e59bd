/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.util.Map;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;

/**
 * A PersistentSubscription that can be constructed on every supported line: the superclass's
 * constructor takes {@code boolean replicated} in 3.0 and {@code Boolean} from 3.2 on, and a super
 * call is bound at compile time.
 *
 * <p>So there are two constructors, one per line, and the build compiles this one class against a
 * hand-written signature of the superclass that has both (src/main/signatures, never packaged). The
 * JVM links a constructor when it first runs, so the one for the other line is never missed.
 */
abstract class LineNeutralSubscription extends PersistentSubscription {

  /** For lines whose constructor takes {@code boolean}. */
  LineNeutralSubscription(
      PersistentTopic topic,
      String name,
      ManagedCursor cursor,
      boolean replicated,
      Map<String, String> properties) {
    super(topic, name, cursor, replicated, properties);
  }

  /** For lines whose constructor takes {@code Boolean}. */
  LineNeutralSubscription(
      PersistentTopic topic,
      String name,
      ManagedCursor cursor,
      Boolean replicated,
      Map<String, String> properties) {
    super(topic, name, cursor, replicated, properties);
  }
}
