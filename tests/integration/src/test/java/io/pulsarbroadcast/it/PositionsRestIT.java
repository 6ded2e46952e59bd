/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveUntil;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.PositionsRequests.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An operator finds the position that holds a backlog, drops it or moves it: on storage when it is
 * answered (I1, I3), counted (I6), and without a change when it is refused. The settings in use are
 * shown too.
 */
@ExtendWith(BrokerExtension.class)
class PositionsRestIT {

  private static final String SUBSCRIPTION = "all";
  private static final String DROPPED = "an operator dropped positions";
  private static final String MOVED = "an operator moved positions";

  @Test
  void shouldListWhoHoldsTheBacklogFirst(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "parked", 0);
    leave(broker, topic, "parked too", 0);
    try (Consumer<String> beside = broker.atOnce(topic, SUBSCRIPTION, "beside").subscribe()) {
      List<MessageId> ids = publish(broker, topic, 0, 10);
      leave(broker, topic, "parked too", 4);
      receiveAndAck(beside, 10);

      Answer all = positions(broker, topic).list();
      assertThat(all.status()).isEqualTo(200);
      assertThat(all.names()).containsExactly("parked", "parked too", "beside");
      assertThat(all.number("connected")).isEqualTo(1);
      assertThat(all.number("absent")).isEqualTo(2);
      assertThat(all.number("matching")).isEqualTo(3);
      assertThat(all.number("backlogEntries")).isEqualTo(10);
      assertThat(all.number("backlogBytes")).isPositive();
      assertThat(all.body().get("positionsLost").booleanValue()).isFalse();

      assertThat(all.position(0).get("state").asText()).isEqualTo("absent");
      assertThat(all.position(0).get("lagEntries").longValue()).isEqualTo(10);
      assertThat(all.position(0).get("lagBytes").longValue()).isPositive();
      assertThat(all.position(0).get("absentSeconds").longValue()).isBetween(0L, 600L);
      assertThat(all.position(0).get("timeToLiveSeconds").longValue()).isEqualTo(604_800);
      assertThat(all.position(0).get("expiresInSeconds").longValue()).isBetween(604_000L, 604_800L);
      assertThat(all.position(0).has("address")).isFalse();
      assertThat(all.position(1).get("lagEntries").longValue()).isEqualTo(6);
      assertThat(all.position(1).get("markDeletePosition").asText()).isEqualTo(text(ids.get(3)));
      assertThat(all.position(2).get("state").asText()).isEqualTo("connected");
      assertThat(all.position(2).get("lagEntries").longValue()).isZero();
      assertThat(all.position(2).get("address").asText()).contains("127.0.0.1");
      assertThat(all.position(2).has("absentSeconds")).isFalse();
    }
  }

  @Test
  void shouldListWhatTheQueryAsksFor(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "car-1", 0);
    leave(broker, topic, "car-2", 0);
    try (Consumer<String> bus = broker.atOnce(topic, SUBSCRIPTION, "bus-1").subscribe()) {
      PositionsRequests positions = positions(broker, topic);

      assertThat(positions.list("state", "absent").names()).containsExactly("car-1", "car-2");
      assertThat(positions.list("state", "connected").names()).containsExactly("bus-1");
      assertThat(positions.list("name", "car-2").names()).containsExactly("car-2");
      assertThat(positions.list("name", "car").names()).isEmpty();
      assertThat(positions.list("namePrefix", "bus").names()).containsExactly("bus-1");
      assertThat(positions.list("sort", "age").names()).containsExactly("car-1", "car-2", "bus-1");
      Answer second = positions.list("sort", "age", "offset", "1", "limit", "1");
      assertThat(second.names()).containsExactly("car-2");
      assertThat(second.number("matching")).isEqualTo(3);
      assertThat(second.number("offset")).isEqualTo(1);
      assertThat(positions.list("offset", "3").names()).isEmpty();
    }
  }

  @Test
  void shouldListThePositionsOfATopicThatIsNotLoaded(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "parked", 0);
    broker.admin().topics().unload(topic);

    assertThat(positions(broker, topic).list().names()).containsExactly("parked");
  }

  /** I1, I3, I6: also when the topic is loaded again, where a returning consumer is a new one. */
  @Test
  void shouldFreeTheBacklogThatADroppedPositionHolds(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "parked", 0);
    try (Consumer<String> beside = broker.atOnce(topic, SUBSCRIPTION, "beside").subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(beside, 10);
      PositionsRequests positions = positions(broker, topic);

      Answer rehearsed = positions.drop(Map.of("name", "parked", "dryRun", true));
      assertThat(rehearsed.number("positions")).isEqualTo(1);
      assertThat(rehearsed.number("entries")).isEqualTo(10);
      assertThat(rehearsed.number("backlogEntries")).isEqualTo(10);
      assertThat(rehearsed.body().get("dryRun").booleanValue()).isTrue();
      assertThat(positions.list().names()).containsExactly("parked", "beside");

      Answer dropped = positions.drop(Map.of("name", "parked"));
      assertThat(dropped.status()).isEqualTo(200);
      assertThat(dropped.number("positions")).isEqualTo(1);
      assertThat(dropped.number("entries")).isEqualTo(10);
      assertThat(dropped.body().get("names").get(0).asText()).isEqualTo("parked");
      assertThat(dropped.number("backlogEntries")).isZero();
      assertThat(positions.list().names()).containsExactly("beside");
      SkippedLog.awaitEntries(broker, topic, 10, DROPPED);
    }
    broker.admin().topics().unload(topic);
    assertThat(positions(broker, topic).list().names()).containsExactly("beside");
    try (Consumer<String> back = broker.atOnce(topic, SUBSCRIPTION, "parked").subscribe()) {
      publish(broker, topic, 10, 11);
      assertThat(receive(back, 1))
          .extracting(message -> message.getValue())
          .containsExactly("message-10");
    }
  }

  @Test
  void shouldDropOnlyWhatTheFilterSays(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "car-far", 0);
    leave(broker, topic, "car-near", 0);
    leave(broker, topic, "bus-far", 0);
    try (Consumer<String> beside = broker.atOnce(topic, SUBSCRIPTION, "car-here").subscribe()) {
      publish(broker, topic, 0, 10);
      leave(broker, topic, "car-near", 8);
      PositionsRequests positions = positions(broker, topic);

      assertThat(positions.drop(Map.of("absentLongerThanSeconds", 3600)).number("positions"))
          .isZero();
      assertThat(
              positions
                  .drop(Map.of("namePrefix", "car", "furtherBehindThanEntries", 5))
                  .body()
                  .get("names"))
          .hasToString("[\"car-far\"]");
      assertThat(positions.list().names())
          .as("connected ones are not dropped")
          .containsExactlyInAnyOrder("bus-far", "car-here", "car-near");
      Answer tooMany = positions.drop(Map.of("all", true, "atMost", 1));
      assertThat(tooMany.status()).isEqualTo(412);
      assertThat(tooMany.reason()).contains("2 positions match, which is more than atMost=1");
      assertThat(positions.drop(Map.of("all", true, "atMost", 2)).number("positions")).isEqualTo(2);
      assertThat(positions.list().names()).containsExactly("car-here");
    }
  }

  /** As of a subscription whose last consumer's position has expired. */
  @Test
  void shouldKeepTheSubscriptionWhoseLastPositionIsDropped(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "parked", 0);
    publish(broker, topic, 0, 3);

    Answer dropped = positions(broker, topic).drop(Map.of("name", "parked"));
    assertThat(dropped.number("positions")).isEqualTo(1);
    assertThat(dropped.number("backlogEntries")).isEqualTo(3);
    try (Consumer<String> next = broker.atOnce(topic, SUBSCRIPTION, "next").subscribe()) {
      assertThat(receiveAndAck(next, 3)).isEqualTo(values(0, 3));
    }
  }

  /** One stays away for good; its namesake is connected, and keeps its own position. */
  @Test
  void shouldDropWhatAbsentNamesakesLeftAndNotWhatTheConnectedOneHas(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> stays = broker.atOnce(topic, SUBSCRIPTION, "twin").subscribe();
        Consumer<String> leaves = broker.atOnce(topic, SUBSCRIPTION, "twin").subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(stays, 10);
      leaves.close();
      PositionsRequests positions = positions(broker, topic);
      assertThat(positions.list().names()).containsExactly("twin", "twin");

      assertThat(positions.drop(Map.of("name", "twin")).number("positions")).isEqualTo(1);
      awaitBacklog(broker, topic, SUBSCRIPTION, 0);
      Answer again = positions.drop(Map.of("name", "twin"));
      assertThat(again.status()).isEqualTo(412);
      assertThat(again.reason()).contains("'twin' is connected");
      publish(broker, topic, 10, 11);
      assertThat(receiveAndAck(stays, 1)).isEqualTo(values(10, 11));
    }
  }

  @ParameterizedTest
  @CsvSource({"to,latest,10", "to,earliest,0", "messageId,4,4", "positionOf,other,6"})
  void shouldMoveAnAbsentPosition(String how, String where, int expected, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "parked", 0);
    leave(broker, topic, "other", 0);
    try (Consumer<String> beside = broker.atOnce(topic, SUBSCRIPTION, "beside").subscribe()) {
      List<MessageId> ids = publish(broker, topic, 0, 10);
      leave(broker, topic, "other", 6);
      leave(broker, topic, "parked", 2);
      receiveAndAck(beside, 10);
      String destination = how.equals("messageId") ? text(ids.get(Integer.parseInt(where))) : where;
      PositionsRequests positions = positions(broker, topic);

      Answer rehearsed = positions.move(Map.of("name", "parked", how, destination, "dryRun", true));
      assertThat(rehearsed.number("lagEntries")).isEqualTo(10 - expected);
      assertThat(positions.list("name", "parked").position(0).get("lagEntries").longValue())
          .isEqualTo(8);

      Answer moved = positions.move(Map.of("name", "parked", how, destination));
      assertThat(moved.status()).as(moved.reason()).isEqualTo(200);
      assertThat(moved.number("positions")).isEqualTo(1);
      assertThat(moved.number("lagEntries")).isEqualTo(10 - expected);
      assertThat(moved.number("skippedEntries")).isEqualTo(Math.max(0, expected - 2));
      assertThat(moved.number("backlogEntries")).isEqualTo(10 - Math.min(6, expected));
      if (expected > 2) {
        SkippedLog.awaitEntries(broker, topic, expected - 2, MOVED);
      }
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> back = broker.atOnce(topic, SUBSCRIPTION, "parked").subscribe()) {
      publish(broker, topic, 10, 11);
      assertThat(receiveUntil(back, "message-10")).isEqualTo(values(expected, 11));
    }
  }

  @Test
  void shouldMoveAnAbsentPositionToATime(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "parked", 0);
    publish(broker, topic, 0, 3);
    long between = System.currentTimeMillis() + 1;
    while (System.currentTimeMillis() <= between) {
      Thread.onSpinWait();
    }
    publish(broker, topic, 3, 5);

    assertThat(
            positions(broker, topic)
                .move(Map.of("name", "parked", "timestampMillis", between))
                .number("lagEntries"))
        .isEqualTo(2);
    try (Consumer<String> back = broker.atOnce(topic, SUBSCRIPTION, "parked").subscribe()) {
      assertThat(receiveAndAck(back, 2)).isEqualTo(values(3, 5));
    }
  }

  @Test
  void shouldMoveAConnectedConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.atOnce(topic, SUBSCRIPTION, "here").subscribe();
        Consumer<String> beside = broker.atOnce(topic, SUBSCRIPTION, "beside").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(consumer, 5)).isEqualTo(values(0, 5));
      assertThat(receiveAndAck(beside, 5)).isEqualTo(values(0, 5));

      Answer moved = positions(broker, topic).move(Map.of("name", "here", "to", "earliest"));
      assertThat(moved.status()).as(moved.reason()).isEqualTo(200);
      awaitConnected(broker, consumer);
      assertThat(receiveAndAck(consumer, 5)).isEqualTo(values(0, 5));
      publish(broker, topic, 5, 6);
      assertThat(receiveAndAck(beside, 1)).as("nobody else is moved").isEqualTo(values(5, 6));
    }
  }

  /** A name may have everything but control characters. */
  @Test
  void shouldTakeAnyName(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    List<String> names =
        List.of(
            "it's \"quoted\" \\ & + % / ? # ; =",
            "Straße 東京 🚗", "東".repeat(1_024), "🚗".repeat(512));
    for (String name : names) {
      leave(broker, topic, name, 0);
    }
    PositionsRequests positions = positions(broker, topic);
    assertThat(positions.list().names()).containsExactlyInAnyOrderElementsOf(names);
    assertThat(positions.list("name", names.get(0)).names()).containsExactly(names.get(0));

    for (String name : names) {
      assertThat(positions.move(Map.of("name", name, "to", "latest")).status()).isEqualTo(200);
      assertThat(positions.drop(Map.of("name", name)).body().get("names").get(0).asText())
          .isEqualTo(name);
    }
    assertThat(positions.list().names()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "state|gone|Invalid state 'gone'; allowed are connected, absent",
        "sort|name|Invalid sort 'name'; allowed are lag, age",
        "offset|-1|Invalid offset '-1'; allowed is a whole number from 0 to 2147483647",
        "limit|0|Invalid limit '0'; allowed is a whole number from 1 to 1000",
        "limit|many|Invalid limit 'many'; allowed is a whole number from 1 to 1000",
        "nmae|x|Unknown parameter 'nmae'; allowed are state, name, namePrefix, sort, offset, limit"
      })
  void shouldSayWhatIsAllowedInAQuery(String parameter, String value, String reason, Broker broker)
      throws Exception {
    Answer answer = positions(broker, Broker.newTopic()).list(parameter, value);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.reason()).isEqualTo(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/drop|{}|Nothing says which positions to drop",
        "/drop|{\"all\":false}|Nothing says which positions to drop",
        "/drop|{\"name\":\"parked\",\"all\":true}|More than one way says which positions to drop",
        "/drop|{\"all\":true,\"nmae\":\"parked\"}|Unknown field 'nmae'; allowed are",
        "/drop?dryRun=true|{\"name\":\"parked\"}|Unknown parameter 'dryRun'; allowed is none",
        "/drop|{\"name\":\"parked\",\"dryRun\":\"\"}|Invalid value of the field 'dryRun'",
        "/drop|{\"name\":\"parked\",\"dryRun\":\"false\"}|Invalid value of the field 'dryRun'",
        "/drop|{\"name\":\"parked\",\"dryRun\":null}|The field 'dryRun' is null",
        "/drop|{\"namePrefix\":null,\"furtherBehindThanEntries\":0}|The field 'namePrefix' is null",
        "/drop|{\"namePrefix\":\"\"}|The namePrefix is empty",
        "/drop|{\"namePrefix\":\"p\",\"absentLongerThanSeconds\":\"\"}|Invalid value of the field 'absentLongerThanSeconds'",
        "/drop|[]|The body is not one JSON object",
        "/drop|{\"name\":\"parked\",\"name\":\"x\"}|Duplicate field 'name'",
        "/drop|{\"furtherBehindThanEntries\":-1}|Invalid furtherBehindThanEntries -1",
        "/drop|{\"furtherBehindThanEntries\":1.5}|Invalid value of the field 'furtherBehindThanEntries'",
        "/drop|null|The body is null",
        "/drop|{\"all\":true} {}|The body is not one JSON object",
        "/move|{\"to\":\"latest\"}|The field name is missing",
        "/move|{\"name\":\"parked\"}|Nothing says where to move to",
        "/move|{\"name\":\"parked\",\"to\":\"latest\",\"messageId\":\"1:1\"}|More than one field",
        "/move|{\"name\":\"parked\",\"to\":\"end\"}|Invalid to 'end'; allowed are earliest and latest",
        "/move|{\"name\":\"parked\",\"messageId\":\"1\"}|Invalid messageId '1'"
      })
  void shouldChangeNothingWhenTheBodyIsWrong(String path, String body, String reason, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "parked", 0);
    PositionsRequests positions = positions(broker, topic);

    Answer answer = positions.post(path, body);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.reason()).contains(reason);
    assertThat(positions.list().names()).containsExactly("parked");
  }

  @Test
  void shouldSayWhatIsNotThere(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertThat(positions(broker, topic).list().status()).as("no topic").isEqualTo(404);
    assertThat(broker.admin().topics().getList("public/default")).doesNotContain(topic);

    leave(broker, topic, "parked", 0);
    PositionsRequests other = new PositionsRequests(broker.process().adminUrl(), topic, "no such");
    assertThat(other.list().reason()).contains("Subscription no such not found");
    assertThat(other.list().status()).isEqualTo(404);
    broker.admin().topics().createSubscription(topic, "plain", MessageId.latest);
    Answer plain =
        new PositionsRequests(broker.process().adminUrl(), topic, "plain")
            .drop(Map.of("all", true));
    assertThat(plain.status()).isEqualTo(405);
    assertThat(plain.reason()).contains("plain", "not a Broadcast subscription");
    PositionsRequests positions = positions(broker, topic);
    assertThat(positions.drop(Map.of("name", "who")).status()).isEqualTo(404);
    assertThat(positions.move(Map.of("name", "who", "to", "latest")).status()).isEqualTo(404);
    Answer another = positions.move(Map.of("name", "parked", "positionOf", "who"));
    assertThat(another.status()).isEqualTo(404);
    assertThat(another.reason()).contains("No position has the name 'who'");
  }

  @Test
  void shouldNameThePartitionsOfAPartitionedTopic(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createPartitionedTopic(topic, 2);
    leave(broker, topic, "parked", 0);

    Answer answer = positions(broker, topic).list();
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.reason()).contains(topic + "-partition-0", topic + "-partition-1");
    assertThat(positions(broker, topic + "-partition-1").list().names()).containsExactly("parked");
  }

  @Test
  void shouldShowAllSettingsInUse(Broker broker) throws Exception {
    Answer answer = positions(broker, Broker.newTopic()).settings();
    assertThat(answer.status()).as(answer.reason()).isEqualTo(200);
    JsonNode settings = answer.body().get("settings");
    assertThat(settings.get("broadcastCursorTimeToLiveSeconds").intValue()).isEqualTo(604_800);
    assertThat(settings.get("broadcastDispatchExecutor").textValue()).isEqualTo("connection");
    Set<String> documented =
        Pattern.compile("(?m)^\\| `(broadcast\\w+)` \\|")
            .matcher(Files.readString(Path.of("..", "..", "docs", "configure.md")))
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toSet());
    assertThat(settings.fieldNames()).toIterable().containsExactlyInAnyOrderElementsOf(documented);
  }

  private static PositionsRequests positions(Broker broker, String topic) {
    return new PositionsRequests(broker.process().adminUrl(), topic, SUBSCRIPTION);
  }

  /** Comes, acknowledges up to so many messages in all, and leaves. */
  private static void leave(Broker broker, String topic, String name, int acknowledged)
      throws Exception {
    try (Consumer<String> consumer =
        broker
            .atOnce(topic, SUBSCRIPTION, name)
            .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
            .subscribe()) {
      if (acknowledged > 0) {
        receiveAndAck(consumer, acknowledged);
      }
    }
  }

  private static String text(MessageId id) {
    MessageIdAdv entry = (MessageIdAdv) id;
    return entry.getLedgerId() + ":" + entry.getEntryId();
  }
}
