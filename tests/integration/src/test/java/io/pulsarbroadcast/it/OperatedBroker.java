/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.util.UUID;

/**
 * Gives tests of what an operator does a shared broker that does it soon: ledgers of five entries,
 * and checks every few seconds where Pulsar's defaults are minutes.
 */
final class OperatedBroker extends BrokerExtension {

  /** Entries per ledger. */
  static final int LEDGER_ENTRIES = 5;

  @Override
  Broker start() {
    return Broker.start(
        options()
            .setting("webSocketServiceEnabled", "true")
            .setting("acknowledgmentAtBatchIndexLevelEnabled", "true"));
  }

  /** For tests that need one for themselves. */
  static PulsarProcessBuilder options() {
    return newBroker()
        .setting("managedLedgerMaxEntriesPerLedger", String.valueOf(LEDGER_ENTRIES))
        .setting("managedLedgerMinLedgerRolloverTimeMinutes", "0")
        // A cursor counts for trimming with the position that was stored last.
        .setting("managedLedgerCursorPositionFlushSeconds", "1")
        .setting("managedLedgerDefaultMarkDeleteRateLimit", "100")
        .setting("backlogQuotaCheckIntervalInSeconds", "2")
        .setting("subscriptionExpiryCheckIntervalInMinutes", "1")
        .setting("topicLevelPoliciesEnabled", "true");
  }

  /** A namespace for policies of its own. */
  static String newNamespace(Broker broker) throws Exception {
    String namespace = "public/" + UUID.randomUUID();
    broker.admin().namespaces().createNamespace(namespace);
    return namespace;
  }

  static String topicIn(String namespace) {
    return "persistent://" + namespace + "/" + UUID.randomUUID();
  }
}
