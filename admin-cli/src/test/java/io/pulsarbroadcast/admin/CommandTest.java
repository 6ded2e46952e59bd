/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A test that runs commands against a broker that speaks the contract of the REST API. */
@Timeout(60)
abstract class CommandTest {
  static final String TOPIC = "persistent://public/default/t";

  FakeBroker broker;
  Cli cli;

  @BeforeEach
  void start() throws Exception {
    broker = new FakeBroker();
    cli = new Cli(broker.url());
  }

  @AfterEach
  void stop() {
    cli.close();
    broker.close();
  }
}
