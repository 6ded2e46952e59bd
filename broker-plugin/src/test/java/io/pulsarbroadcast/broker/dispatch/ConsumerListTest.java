/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsumerListTest {

  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
  private final ConsumerList list = new ConsumerList();

  private FanoutConsumer consumer() {
    return new FanoutConsumer(0, registry.connect("a", -1, () -> 0, 0), -1, true, new TestOwner());
  }

  private List<FanoutConsumer> add(int consumers) {
    List<FanoutConsumer> added = new ArrayList<>();
    for (int i = 0; i < consumers; i++) {
      FanoutConsumer consumer = consumer();
      list.add(consumer);
      added.add(consumer);
    }
    return added;
  }

  private List<FanoutConsumer> pass() {
    List<FanoutConsumer> passed = new ArrayList<>();
    while (list.hasNext()) {
      passed.add(list.next());
    }
    list.endPass();
    return passed;
  }

  @Test
  void shouldPassEverybodyOnceInTheOrderOfTheirComing() {
    List<FanoutConsumer> added = add(20);

    assertThat(list.size()).isEqualTo(20);
    assertThat(pass()).isEqualTo(added);
    assertThat(pass()).as("the next pass").isEqualTo(added);
  }

  /** A full socket stops a pass, which goes on later. */
  @Test
  void shouldGoOnWithAPassThoughConsumersComeAndGoMeanwhile() {
    List<FanoutConsumer> added = add(4);
    assertThat(list.next()).isSameAs(added.get(0));
    assertThat(list.next()).isSameAs(added.get(1));
    list.remove(added.get(0));
    list.remove(added.get(2));
    FanoutConsumer late = add(1).get(0);

    assertThat(list.size()).isEqualTo(3);
    assertThat(pass()).containsExactly(added.get(3), late);
    assertThat(pass()).containsExactly(added.get(1), added.get(3), late);
  }

  /** A hundred thousand that come and go, more than half of them during a pass. */
  @Test
  void shouldMissNobodyWhenMostLeaveDuringAPass() {
    List<FanoutConsumer> added = add(40);
    for (int i = 0; i < 30; i++) {
      list.next();
    }
    added.subList(0, 30).forEach(list::remove);

    assertThat(pass()).isEqualTo(added.subList(30, 40));
    assertThat(pass()).isEqualTo(added.subList(30, 40));
  }

  @Test
  void shouldKnowTheLaneOfItsConsumers() {
    FanoutConsumer consumer = add(1).get(0);
    assertThat(consumer.lane).isSameAs(list);
    assertThat(list.isEmpty()).isFalse();

    list.remove(consumer);
    assertThat(consumer.lane).isNull();
    assertThat(list.isEmpty()).isTrue();
    assertThat(list.hasNext()).isFalse();
  }

  /** Who comes back takes the place of who left, though there is never a pass. */
  @Test
  void shouldStayInOrderWhileConsumersComeAndGo() {
    List<FanoutConsumer> here = add(3);
    for (int i = 0; i < 100; i++) {
      FanoutConsumer goes = add(1).get(0);
      list.remove(goes);
    }
    assertThat(list.size()).isEqualTo(3);
    list.remove(here.get(1));

    assertThat(pass()).containsExactly(here.get(0), here.get(2));
  }

  /** I8: each place gets its turn, whoever asks more often. */
  @Test
  void shouldTakeConsumersInTurn() {
    List<FanoutConsumer> added = add(4);
    list.remove(added.get(2));
    List<FanoutConsumer> turns = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      turns.add(list.nextInTurn());
    }

    assertThat(turns)
        .containsExactly(
            added.get(1), added.get(3), added.get(0), added.get(1), added.get(3), added.get(0));
  }

  @Test
  void shouldFindAConsumerThatMatches() {
    List<FanoutConsumer> added = add(3);
    list.remove(added.get(0));
    added.get(2).next = 7;

    assertThat(list.any(consumer -> consumer.next == 7)).isSameAs(added.get(2));
    assertThat(list.any(consumer -> consumer.next == 8)).isNull();
  }

  @Test
  void shouldMoveThoseThatMatchToAnotherList() {
    List<FanoutConsumer> added = add(5);
    list.remove(added.get(1));
    added.get(0).next = 7;
    added.get(3).next = 7;
    ConsumerList other = new ConsumerList();
    list.moveTo(other, consumer -> consumer.next == 7);

    assertThat(pass()).containsExactly(added.get(2), added.get(4));
    assertThat(other.size()).isEqualTo(2);
    assertThat(added.get(3).lane).isSameAs(other);
    list.remove(added.get(2));
    assertThat(pass()).as("their places are known").containsExactly(added.get(4));
  }

  /** Eight is what there is room for at first. */
  @Test
  void shouldServeEverybodyWhenThereIsNoPlaceLeft() {
    List<FanoutConsumer> added = add(8);

    assertThat(list.any(consumer -> false)).isNull();
    assertThat(pass()).isEqualTo(added);
    for (int i = 1; i <= 8; i++) {
      assertThat(list.nextInTurn()).isSameAs(added.get(i % 8));
    }
    list.moveTo(new ConsumerList(), consumer -> consumer == added.get(3));
    list.remove(added.get(0));
    assertThat(pass()).hasSize(6);
  }

  /** I8: whoever comes takes a place that somebody left, with passes or without. */
  @Test
  void shouldUsePlacesAgainThatWereLeft() {
    List<FanoutConsumer> here = add(3);
    list.remove(here.get(0));
    pass();
    assertThat(add(1).get(0).laneIndex).as("after a pass").isEqualTo(2);
    list.moveTo(new ConsumerList(), consumer -> consumer == here.get(1));
    assertThat(add(1).get(0).laneIndex).as("after others were moved").isEqualTo(2);
    for (int i = 0; i < 100; i++) {
      list.remove(add(1).get(0));
    }
    assertThat(add(1).get(0).laneIndex).as("without a pass").isLessThan(40);
  }
}
