/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One NAR serves several broker lines; each run of the tests is really on the one it names. */
@ExtendWith(BrokerExtension.class)
class BrokerLineIT {

  @Test
  void shouldRunOnTheVersionThatThisRunIsFor(Broker broker) throws Exception {
    String version = BrokerExtension.version();
    assertThat(broker.admin().brokers().getVersion()).isEqualTo(version);
    assertThat(broker.logLines("Broadcast subscriptions are available on broker " + version))
        .isNotEmpty();
  }
}
