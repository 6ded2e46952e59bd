/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.terminal.CommandException;
import io.pulsarbroadcast.admin.terminal.Terminal;
import java.util.Map;
import org.apache.pulsar.admin.cli.extensions.CommandExecutionContext;
import org.apache.pulsar.admin.cli.extensions.CustomCommand;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;

/** A command of the group {@code broadcast}. Stateless. */
abstract class BroadcastCommand implements CustomCommand {
  private final String name;
  private final String description;

  BroadcastCommand(String name, String description, String example) {
    this.name = name;
    this.description = description + ". Example: pulsar-admin broadcast " + name + " " + example;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String description() {
    return description;
  }

  /** Returns true or throws: pulsar-admin ignores what is returned. */
  @Override
  public final boolean execute(Map<String, Object> parameters, CommandExecutionContext context)
      throws PulsarAdminException {
    return execute(parameters, context, Terminal.standard());
  }

  final boolean execute(
      Map<String, Object> parameters, CommandExecutionContext context, Terminal terminal)
      throws PulsarAdminException {
    try {
      run(new Arguments(parameters), context.getPulsarAdmin(), terminal);
      return true;
    } catch (PulsarAdminException.ConnectException e) {
      // pulsar-admin says where it could not connect.
      throw e;
    } catch (PulsarAdminException e) {
      throw CommandException.of(e);
    } finally {
      terminal.flush();
    }
  }

  abstract void run(Arguments arguments, PulsarAdmin admin, Terminal terminal)
      throws PulsarAdminException;
}
