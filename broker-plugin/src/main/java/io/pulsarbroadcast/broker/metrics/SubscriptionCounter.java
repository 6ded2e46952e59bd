/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

/** What is counted of a Broadcast subscription as it happens. */
enum SubscriptionCounter {
  DELIVERIES("deliveries", "Messages sent to consumers, redeliveries among them"),
  DELIVERED_BYTES("delivered_bytes", "Bytes of messages sent to consumers"),
  REDELIVERIES("redeliveries", "Messages sent to a consumer that it was sent before"),
  ACKS("acks", "Message ids that consumers acknowledged, those refused among them"),
  REFUSED_ACKS("refused_acks", "Acknowledgements that were not taken"),
  REFUSED_SUBSCRIBES("refused_subscribes", "Subscribes with new names that a limit refused"),
  TAIL_ENTRIES("tail_entries", "Entries that the tail reader brought"),
  CATCH_UP_READS("catch_up_reads", "Reads for consumers behind the tail"),
  CATCH_UP_ENTRIES("catch_up_entries", "Entries read for consumers behind the tail"),
  CATCH_UP_BYTES("catch_up_bytes", "Bytes read for consumers behind the tail"),
  READ_FAILURES("read_failures", "Failed reads of the topic, each tried again"),
  POSITIONS_WRITTEN_BYTES("positions_written_bytes", "Bytes written to the positions log"),
  POSITIONS_WRITE_FAILURES("positions_write_failures", "Failed writes to the positions log");

  private final String seriesName;
  private final String help;

  SubscriptionCounter(String seriesName, String help) {
    this.seriesName = seriesName;
    this.help = help;
  }

  /** Without the prefix, and {@code _total} at its end. */
  String seriesName() {
    return seriesName;
  }

  String help() {
    return help;
  }
}
