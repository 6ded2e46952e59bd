/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SkippedEntriesTest {

  private final SkippedEntries skipped = new SkippedEntries();

  @Test
  void shouldForgetRangesThatAreBeforeEverybody() {
    skipped.add(2, 4);
    skipped.add(6, 8);
    skipped.forgetBefore(3);
    assertThat(skipped.firstNotSkipped(2)).isEqualTo(2);
    assertThat(skipped.firstNotSkipped(3)).isEqualTo(4);
    skipped.forgetBefore(8);
    assertThat(skipped.firstNotSkipped(6)).isEqualTo(6);
    skipped.add(9, 10);
    assertThat(skipped.firstNotSkipped(9)).as("after all were forgotten").isEqualTo(10);
  }

  @Test
  void shouldSkipNothingForAnEmptyRange() {
    skipped.add(5, 5);
    assertThat(skipped.firstNotSkipped(5)).isEqualTo(5);
  }

  @Test
  void shouldCountOrdinalsThatNoEntryHas() {
    skipped.addGap(10, 20);
    skipped.addGap(30, 40);
    assertThat(skipped.gapsWithin(0, 100)).isEqualTo(20);
    assertThat(skipped.gapsWithin(15, 35)).isEqualTo(10);
    assertThat(skipped.gapsWithin(20, 30)).isZero();
    assertThat(skipped.gapsWithin(15, 15)).isZero();
  }

  @Test
  void shouldFindTheNextEntryThatIsGivenToSomebody() {
    assertThat(skipped.nextGiven(3)).isEqualTo(3);
    skipped.add(2, 4);
    assertThat(skipped.nextGiven(3)).isEqualTo(4);
    skipped.addGap(4, 6);
    skipped.add(6, 7);
    assertThat(skipped.nextGiven(1)).isEqualTo(1);
    assertThat(skipped.nextGiven(2)).as("a range, a gap, and a range").isEqualTo(7);
    assertThat(skipped.nextGiven(5)).isEqualTo(7);
  }

  @Test
  void shouldCountWhatIsGivenToNobody() {
    assertThat(skipped.countWithin(0, 100)).isZero();
    skipped.addGap(10, 12);
    assertThat(skipped.countWithin(0, 100)).as("a gap alone").isEqualTo(2);
    skipped.add(2, 4);
    skipped.addGap(4, 6);
    assertThat(skipped.countWithin(0, 100)).isEqualTo(6);
    assertThat(skipped.countWithin(3, 11)).as("parts of the first and the last").isEqualTo(4);
    assertThat(skipped.countWithin(3, 5)).as("ends within a gap").isEqualTo(2);
    assertThat(skipped.countWithin(6, 10)).isZero();
    assertThat(skipped.countWithin(3, 3)).isZero();
    assertThat(skipped.countWithin(5, 3)).isZero();
  }

  @Test
  void shouldCountRangesWhereThereAreNoGaps() {
    skipped.add(2, 4);
    assertThat(skipped.countWithin(0, 100)).isEqualTo(2);
    skipped.forgetBefore(4);
    assertThat(skipped.countWithin(0, 100)).isZero();
  }
}
