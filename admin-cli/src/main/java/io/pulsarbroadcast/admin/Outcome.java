/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.terminal.CommandException;
import org.apache.pulsar.common.naming.TopicName;

/** What a command gave on one topic: a value, or a failure. */
record Outcome<T>(TopicName topic, T value, CommandException failure) {

  boolean succeeded() {
    return failure == null;
  }
}
