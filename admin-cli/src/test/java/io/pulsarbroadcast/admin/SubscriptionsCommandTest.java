/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pulsarbroadcast.admin.Cli.Result;
import org.junit.jupiter.api.Test;

class SubscriptionsCommandTest extends CommandTest {

  @Test
  void shouldListTheBroadcastSubscriptions() {
    Result result = cli.run("subscriptions", "public/default");
    assertThat(result.failure()).isNull();
    assertThat(result.out())
        .isEqualTo(
            """
            TOPIC                          SUBSCRIPTION  CONNECTED  ABSENT  BACKLOG  SLOWEST LAG
            persistent://public/default/t  alerts                2       1       12            7
            """);
  }

  @Test
  void shouldPrintJson() throws Exception {
    JsonNode json = Cli.json("subscriptions", cli.run("subscriptions", "public/default", "--json"));
    assertThat(json.path("subscriptions")).hasSize(1);
    assertThat(json.at("/subscriptions/0/slowestLagEntries").asInt()).isEqualTo(7);
  }
}
