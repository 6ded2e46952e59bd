/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random steps leave a hub where a naive reference is: what each session has received, what is held
 * and acknowledged, and who has ended. Half of the seeds are new; {@code -Dhub.seed=N} repeats one.
 */
@Timeout(300)
class BroadcastHubModelTest {
  private static final int STEPS = 2_000;
  private static final int NAMES = 6;
  private static final int MAX_MESSAGES = 12;

  static LongStream seeds() {
    Long seed = Long.getLong("hub.seed");
    return seed != null
        ? LongStream.of(seed)
        : LongStream.concat(LongStream.range(0, 50), new Random().longs(50));
  }

  /** A name's position, and while a session of it is open, what that may receive and has. */
  private static final class Name {
    int position;
    int next;
    long requested;
    boolean open;
    final List<String> received = new ArrayList<>();
    RecordingSubscriber subscriber;
    HubSession session;
  }

  private final FakeConsumer wire = new FakeConsumer();
  private final Map<String, Name> names = new TreeMap<>();
  private final Map<MessageId, Integer> acknowledgements = new HashMap<>();

  /** Numbers of messages: the first that is held, and that of the next one. */
  private int first;

  private int next;
  private int ended;
  private int forgotten;
  private Random random;

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldBeWhereTheReferenceIs(long seed) throws Exception {
    random = new Random(seed);
    try (BroadcastHub<String> hub =
        wire.hub()
            .executor(Runnable::run)
            .resumeTime(Duration.ZERO)
            .maxMessages(MAX_MESSAGES)
            .subscribe()) {
      for (int i = 0; i < STEPS; i++) {
        String step = step(hub);
        String where = "seed %d, step %d: %s".formatted(seed, i, step);
        check(hub, where);
        if (i % 50 == 0) {
          checkAll(where);
        }
      }
      checkAll("seed %d, at the end".formatted(seed));
    }
  }

  private String step(BroadcastHub<String> hub) {
    String key = "name-" + random.nextInt(NAMES);
    Name name = names.get(key);
    boolean open = name != null && name.open;
    int kind = random.nextInt(20);
    if (kind < 7) {
      return publish();
    }
    if (kind == 7) {
      return publishAgain();
    }
    if (!open) {
      return open(hub, key, name);
    }
    if (kind < 12) {
      int requests = 1 + random.nextInt(5);
      name.requested += requests;
      deliver();
      name.session.request(requests);
      return key + " requests " + requests;
    }
    if (kind < 18) {
      return acknowledge(key, name);
    }
    if (kind == 18) {
      name.session.close();
      name.open = false;
      return "close " + key;
    }
    name.session.unsubscribe();
    names.remove(key);
    trim();
    return "unsubscribe " + key;
  }

  private String open(BroadcastHub<String> hub, String key, Name left) {
    boolean earliest = random.nextBoolean();
    Name name = new Name();
    name.position = left != null ? left.position : earliest ? first : next;
    name.next = name.position;
    name.open = true;
    name.subscriber = new RecordingSubscriber(0);
    names.put(key, name);
    name.session =
        hub.open(
            key,
            earliest ? SubscriptionInitialPosition.Earliest : SubscriptionInitialPosition.Latest,
            name.subscriber);
    return "open " + key + (earliest ? " earliest" : " latest");
  }

  private String publish() {
    int number = next++;
    if (next - first > MAX_MESSAGES) {
      names
          .values()
          .removeIf(
              name -> {
                boolean over = name.position == first;
                ended += over && name.open ? 1 : 0;
                forgotten += over && !name.open ? 1 : 0;
                return over;
              });
      acknowledgeFirst();
    }
    trim();
    deliver();
    wire.send(number);
    return "publish " + number;
  }

  private String publishAgain() {
    if (next == 0) {
      return "nothing";
    }
    int oldest = Math.max(0, first - MAX_MESSAGES); // that it remembers
    int number = oldest + random.nextInt(next - oldest);
    if (number < first) {
      acknowledgements.merge(FakeConsumer.id(number), 1, Integer::sum);
    }
    wire.send(number);
    return "publish again " + number;
  }

  private String acknowledge(String key, Name name) {
    int number = Math.max(0, next + 1 - random.nextInt(2 * MAX_MESSAGES));
    if (number >= name.position && number < name.next) {
      name.position = number + 1;
      trim();
    }
    name.session.acknowledge(FakeConsumer.id(number));
    return key + " acknowledges " + number;
  }

  private void trim() {
    int lowest = names.values().stream().mapToInt(name -> name.position).min().orElse(next);
    while (first < Math.min(lowest, next)) {
      acknowledgeFirst();
    }
  }

  private void acknowledgeFirst() {
    acknowledgements.merge(FakeConsumer.id(first++), 1, Integer::sum);
  }

  private void deliver() {
    for (Name name : names.values()) {
      while (name.open && name.requested > 0 && name.next < next) {
        name.received.add("message-" + name.next++);
        name.requested--;
      }
    }
  }

  private void check(BroadcastHub<String> hub, String step) {
    names.forEach(
        (key, name) -> {
          assertThat(name.subscriber.values).as("%s: %s", step, key).hasSameSizeAs(name.received);
          assertThat(name.subscriber.ends).as("%s: %s", step, key).isEmpty();
          assertThat(name.subscriber.overlaps).hasValue(0);
        });
    assertThat(hub.heldMessages()).as(step).isEqualTo(next - first);
    assertThat(hub.endedSessions()).as(step).isEqualTo(ended);
    assertThat(hub.forgottenNames()).as(step).isEqualTo(forgotten);
    assertThat(hub.openSessions())
        .as(step)
        .isEqualTo((int) names.values().stream().filter(name -> name.open).count());
  }

  /** What takes long, because it becomes more with each step. */
  private void checkAll(String step) {
    names.forEach(
        (key, name) ->
            assertThat(name.subscriber.values).as("%s: %s", step, key).isEqualTo(name.received));
    assertThat(wire.acknowledgements()).as(step).isEqualTo(acknowledgements);
  }
}
