/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import java.util.List;
import org.apache.pulsar.admin.cli.extensions.CommandExecutionContext;
import org.apache.pulsar.admin.cli.extensions.CustomCommandFactory;
import org.apache.pulsar.admin.cli.extensions.CustomCommandGroup;

/** Gives pulsar-admin the group {@code broadcast}. */
public final class BroadcastCommandFactory implements CustomCommandFactory {

  @Override
  public List<CustomCommandGroup> commandGroups(CommandExecutionContext context) {
    return List.of(new BroadcastCommandGroup());
  }
}
