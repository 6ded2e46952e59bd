/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import java.util.List;
import org.apache.pulsar.admin.cli.extensions.CommandExecutionContext;
import org.apache.pulsar.admin.cli.extensions.CustomCommand;
import org.apache.pulsar.admin.cli.extensions.CustomCommandGroup;

/**
 * The group {@code broadcast}. Pulsar names a generated class after its {@code toString()}, so it
 * is no record.
 */
final class BroadcastCommandGroup implements CustomCommandGroup {

  @Override
  public String name() {
    return "broadcast";
  }

  @Override
  public String description() {
    return "Operations on Broadcast subscriptions and the positions of their consumers";
  }

  @Override
  public List<CustomCommand> commands(CommandExecutionContext context) {
    return List.of(
        new SubscriptionsCommand(),
        new PositionsCommand(),
        new PositionCommand(),
        new DropCommand(),
        new MoveCommand(),
        new ConvertCommand(),
        new SettingsCommand());
  }
}
