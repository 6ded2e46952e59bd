/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.ledger.PlainAcks.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** I8: what plain consumers acknowledged out of order is kept by each consumer, up to a limit. */
@Timeout(120)
class PlainAcksTest {

  private final LedgerIndex index =
      new LedgerIndex(() -> new TreeMap<>(Map.of(7L, 500L, 8L, 10_000L)), (from, to) -> {});

  @Test
  void shouldShowAsManyAsEachConsumerMayKeep() {
    assertThat(shown(new Range(7, 9, 7, 10), new Range(7, 99, 8, 598)))
        .containsExactly("10-11", "100-1099");
  }

  @Test
  void shouldShowNoneOfMore() {
    assertThat(shown(new Range(7, 9, 7, 10), new Range(7, 99, 8, 599))).isEmpty();
  }

  private List<String> shown(Range... ranges) {
    List<String> shown = new ArrayList<>();
    new PlainAcks("all", List.of(ranges)).forEach(index, (from, to) -> shown.add(from + "-" + to));
    return shown;
  }
}
