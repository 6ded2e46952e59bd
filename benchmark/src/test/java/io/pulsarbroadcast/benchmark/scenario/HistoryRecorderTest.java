/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.history.Event;
import io.pulsarbroadcast.benchmark.history.HistoryReader;
import io.pulsarbroadcast.benchmark.history.HistoryWriter;
import io.pulsarbroadcast.benchmark.load.DeliveryListener.Received;
import io.pulsarbroadcast.benchmark.scenario.HistoryRecorder.Manner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryRecorderTest {
  @TempDir private Path folder;

  private interface Told {
    void to(HistoryRecorder recorder);
  }

  /** What is recorded, without line, time and what is null. */
  private List<String> record(boolean withReceipts, Told told) throws IOException {
    return record(Manner.CUMULATIVE, withReceipts, told);
  }

  private List<String> record(Manner manner, boolean withReceipts, Told told) throws IOException {
    Path file = folder.resolve("history.jsonl");
    try (HistoryWriter writer = HistoryWriter.create(file)) {
      told.to(new HistoryRecorder(writer, 4, "broker", manner, withReceipts));
    }
    try (HistoryReader reader = HistoryReader.open(file)) {
      return reader
          .events()
          .map(Event::toString)
          .map(event -> event.replaceAll("line=\\d+, micros=\\d+, |, id=null", ""))
          .toList();
    }
  }

  @Test
  void shouldRecordWhatAFleetHears() throws IOException {
    assertThat(
            record(
                false,
                recorder -> {
                  recorder.subscribing(1);
                  recorder.refused(1);
                  recorder.subscribing(1);
                  recorder.subscribed(1);
                  recorder.received(1, new Received(40, true, 7, 13, 0));
                }))
        .containsExactly(
            "Subscribe[phase=INVOKED, name=consumer-000001, incarnation=1, contract=ORDERED]",
            "Subscribe[phase=FAILED, name=consumer-000001, incarnation=1, contract=ORDERED]",
            "Subscribe[phase=INVOKED, name=consumer-000001, incarnation=2, contract=ORDERED]",
            "Subscribe[phase=OK, name=consumer-000001, incarnation=2, contract=ORDERED]",
            "Delivery[name=consumer-000001, incarnation=2, broker=broker, id=7:13,"
                + " redeliveryCount=0, payload=40]",
            "Ack[phase=INVOKED, name=consumer-000001, incarnation=2, id=7:13, cumulative=true,"
                + " receiptAsked=false]");
  }

  @Test
  void shouldRecordWhatAPublisherHears() throws IOException {
    assertThat(
            record(
                false,
                recorder -> {
                  recorder.sending(3);
                  recorder.sending(4);
                  recorder.sending(5);
                  recorder.stored(3, 7, 13);
                  recorder.givenUp(4);
                  recorder.stored(5, -1, -1); // What deduplication has found stored before.
                }))
        .containsExactly(
            "Publish[phase=INVOKED, producer=publisher, payload=3]",
            "Publish[phase=INVOKED, producer=publisher, payload=4]",
            "Publish[phase=INVOKED, producer=publisher, payload=5]",
            "Publish[phase=OK, producer=publisher, payload=3, id=7:13]",
            "Publish[phase=UNKNOWN, producer=publisher, payload=4]",
            "Publish[phase=UNKNOWN, producer=publisher, payload=5]");
  }

  /** So that something is due again to who comes back. */
  @Test
  void shouldLetEveryFourthConsumerAcknowledgeEveryTenthMessage() throws IOException {
    List<Boolean> acknowledged = new ArrayList<>();
    List<String> events =
        record(
            false,
            recorder -> {
              for (int consumer = 0; consumer < 4; consumer++) {
                for (int sequence = 0; sequence < 20; sequence++) {
                  acknowledged.add(
                      recorder.received(consumer, new Received(sequence, true, 7, sequence, 0)));
                }
              }
            });

    assertThat(acknowledged.subList(0, 60)).doesNotContain(false);
    assertThat(acknowledged.subList(60, 80)).filteredOn(each -> each).hasSize(2);
    assertThat(events).filteredOn(event -> event.startsWith("Ack")).hasSize(62);
    assertThat(events)
        .filteredOn(event -> event.startsWith("Ack[") && event.contains("consumer-000003"))
        .extracting(event -> event.replaceAll(".*id=|, cumulative.*", ""))
        .containsExactly("7:9", "7:19");
  }

  /** So that there are holes behind the position, until it comes back. */
  @Test
  void shouldLetEveryFourthConsumerLeaveEveryTenthMessageUntilItComesAgain() throws IOException {
    List<String> events =
        record(
            Manner.UNORDERED,
            false,
            recorder -> {
              recorder.subscribing(3);
              for (int sequence = 8; sequence <= 10; sequence++) {
                recorder.received(3, new Received(sequence, true, 7, sequence, 0));
              }
              recorder.received(3, new Received(9, false, 7, 9, 2));
            });

    assertThat(events.get(0)).contains("contract=UNORDERED");
    assertThat(events)
        .filteredOn(event -> event.startsWith("Ack"))
        .extracting(event -> event.replaceAll(".*id=|, receipt.*", ""))
        .containsExactly(
            "7:8, cumulative=false", "7:10, cumulative=false", "7:9, cumulative=false");
    assertThat(events)
        .filteredOn(event -> event.startsWith("Delivery"))
        .extracting(event -> event.replaceAll(".*redeliveryCount=", ""))
        .containsExactly("0, payload=8]", "0, payload=9]", "0, payload=10]", "2, payload=9]");
  }

  @Test
  void shouldTellOfWhichIncarnationAReceiptIs() throws IOException {
    List<String> events =
        record(
            true,
            recorder -> {
              recorder.subscribing(0);
              recorder.subscribed(0);
              for (int sequence = 40; sequence <= 42; sequence++) {
                recorder.received(0, new Received(sequence, true, 7, sequence, 0));
              }
              recorder.subscribing(0);
              recorder.refused(0);
              recorder.subscribing(0);
              recorder.subscribed(0);
              recorder.receipt(0, 40);
              recorder.received(0, new Received(41, false, 7, 41, 0));
              recorder.receipt(0, 41);
              recorder.receipt(0, 41);
              recorder.subscribing(0);
              recorder.subscribed(0);
              // Of the incarnation before the last.
              recorder.receipt(0, 42);
            });

    assertThat(events)
        .filteredOn(event -> event.startsWith("Ack[phase=OK"))
        .extracting(event -> event.replaceAll(".*incarnation=|, cumulative.*", ""))
        .containsExactly("1, id=7:40", "3, id=7:41");
  }

  /** The broker's receipt names the message, of which the topic may have two copies. */
  @Test
  void shouldTellForWhichCopyOfAMessageAReceiptIs() throws IOException {
    List<String> events =
        record(
            true,
            recorder -> {
              recorder.subscribing(0);
              recorder.received(0, new Received(40, true, 7, 13, 0));
              recorder.received(0, new Received(40, false, 7, 14, 0));
              recorder.receipt(0, 40);
              recorder.receipt(0, 40);
              recorder.receipt(0, 40);
            });

    assertThat(events.subList(5, events.size()))
        .containsExactly(
            "Ack[phase=OK, name=consumer-000000, incarnation=1, id=7:13, cumulative=true,"
                + " receiptAsked=true]",
            "Ack[phase=OK, name=consumer-000000, incarnation=1, id=7:14, cumulative=true,"
                + " receiptAsked=true]");
  }
}
