/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pulsarbroadcast.admin.Cli.Result;
import org.junit.jupiter.api.Test;

class SettingsCommandTest extends CommandTest {

  @Test
  void shouldListTheSettingsInTheBrokersOrder() {
    Result result = cli.run("settings");
    assertThat(result.failure()).isNull();
    assertThat(result.out())
        .isEqualTo(
            """
            SETTING                               VALUE
            broadcastPositionFlushIntervalMillis  1000
            broadcastCursorTimeToLiveSeconds      604800
            broadcastExposeTopicLevelHistograms   false
            broadcastAckExecutor                  io
            """);
  }

  @Test
  void shouldPrintJson() throws Exception {
    JsonNode json = Cli.json("settings", cli.run("settings", "--json"));
    assertThat(json)
        .isEqualTo(
            broker.json(
                """
                {"settings": {
                  "broadcastPositionFlushIntervalMillis": 1000,
                  "broadcastCursorTimeToLiveSeconds": 604800,
                  "broadcastExposeTopicLevelHistograms": false,
                  "broadcastAckExecutor": "io"}}
                """));
  }

  @Test
  void shouldSayThatTheyAreForSuperUsers() {
    broker.superUser = false;
    Result result = cli.run("settings");
    assertThat(result.out()).isEmpty();
    assertThat(result.reason())
        .isEqualTo(
            """
            The broker's answer is HTTP 401

            Reason: This operation requires super-user access""");
  }
}
