/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AckPolicyTest {

  @Test
  void shouldReadWhatItWrites() {
    for (String text :
        new String[] {"cumulative", "cumulative:10", "cumulative-ms:1000", "individual", "none"}) {
      assertThat(AckPolicy.parse(text)).hasToString(text);
    }
    assertThat(AckPolicy.parse("Cumulative:10"))
        .isEqualTo(new AckPolicy(AckPolicy.Kind.CUMULATIVE, 10));
    assertThat(AckPolicy.parse("cumulative-ms:50")).isEqualTo(AckPolicy.timed(50));
  }

  @Test
  void shouldSayWhatIsAllowed() {
    for (String text :
        new String[] {
          "",
          "all",
          "cumulative:0",
          "individual:2",
          "cumulative:x",
          "cumulative-ms",
          "cumulative-ms:0"
        }) {
      assertThatThrownBy(() -> AckPolicy.parse(text))
          .hasMessageContaining("'" + text + "'")
          .hasMessageContaining(AckPolicy.ALLOWED);
    }
  }
}
