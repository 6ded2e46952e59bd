/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** For tests whose storage, or memory, fails on purpose, perhaps thousands of times. */
final class FailedReadsUnlogged implements BeforeAllCallback, AfterAllCallback {

  @Override
  public void beforeAll(ExtensionContext context) {
    Configurator.setLevel(BroadcastDispatcher.class.getName(), Level.ERROR);
    Configurator.setLevel(FrameWriter.class.getName(), Level.ERROR);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Configurator.setLevel(BroadcastDispatcher.class.getName(), Level.INFO);
    Configurator.setLevel(FrameWriter.class.getName(), Level.INFO);
  }
}
