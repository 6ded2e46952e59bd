/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.pulsar.broker.service.persistent;

import java.util.Map;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.pulsar.broker.service.AbstractSubscription;

/** Compile-only: the constructors of all supported lines. See LineNeutralSubscription. */
public abstract class PersistentSubscription extends AbstractSubscription {

  /** 3.0. */
  public PersistentSubscription(
      PersistentTopic topic, String name, ManagedCursor cursor, boolean replicated, Map<String, String> properties) {}

  /** 3.2 and later. */
  public PersistentSubscription(
      PersistentTopic topic, String name, ManagedCursor cursor, Boolean replicated, Map<String, String> properties) {}
}
